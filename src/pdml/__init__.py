"""Hyperspectral image classification with probabilistic deep metric learning."""

__version__ = "0.1.0"
