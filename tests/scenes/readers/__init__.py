"""Tests of formats, beyond what all have in common."""
