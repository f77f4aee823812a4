"""One file per kind of features: what a network or a classifier may see instead of bands."""
