"""Tests of scenes."""
