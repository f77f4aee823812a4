"""Tests of splits."""
