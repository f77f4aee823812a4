"""Measures of doubt, one per file; each registers itself under the name of its file."""
