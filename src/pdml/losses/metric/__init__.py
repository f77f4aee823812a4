"""Metric losses over samples of pixels; each file registers one under its own name."""
