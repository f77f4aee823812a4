"""Embeddings and labels become a scalar, one file per loss."""
