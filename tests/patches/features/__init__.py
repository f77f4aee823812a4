"""Tests of the kinds of features."""
