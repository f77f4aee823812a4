"""Tests of what notices material of no class."""
