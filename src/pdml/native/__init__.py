"""Loops in C that are compiled on first use where a compiler is at hand; never the only way."""
