"""Experiments that the paper does not have, one declaration per file."""
