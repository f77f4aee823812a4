"""Sweeps: every variant of an experiment with every seed, resumable and shared by processes."""
