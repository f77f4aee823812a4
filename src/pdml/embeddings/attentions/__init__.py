"""Attention modules that can follow any backbone; each file registers one under its own name."""
