"""Tests of the tables and figures of sweeps."""
