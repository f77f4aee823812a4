"""Material of no class: how unlike the training pixels a pixel is, and from where on it is unknown."""
