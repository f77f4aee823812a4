"""Tests of maps and stored models."""
