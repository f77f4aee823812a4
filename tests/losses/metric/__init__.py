"""Tests of single metric losses."""
