"""Tests of tables as text."""
