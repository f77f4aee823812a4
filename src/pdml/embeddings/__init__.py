"""Patches become Gaussian embeddings: backbones, heads, distances, the model."""
