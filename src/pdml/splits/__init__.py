"""Labels become a split: random, spatial blocks, published; and what a split leaks."""
