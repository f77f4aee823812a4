"""Restatements of the formulas with plain loops; nothing here is fast."""
