"""Tests of the losses."""
