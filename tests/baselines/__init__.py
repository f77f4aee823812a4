"""Tests of the compared methods."""
