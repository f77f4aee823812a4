"""Tests of the measures of doubt."""
