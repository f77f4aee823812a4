"""Tests of sweeps: what is run, by whom, and what is left when someone is killed."""
