"""A trained model and a scene become a class map, tile by tile."""
