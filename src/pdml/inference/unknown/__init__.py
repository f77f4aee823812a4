"""Material of no class: how unlike the known classes a pixel is, and when it is unknown."""
