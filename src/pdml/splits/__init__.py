"""Labels become a split: random, spatial blocks, polygons, published; and what a split leaks."""
