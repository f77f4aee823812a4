"""Whole runs: from a scene, a split and a recipe to a folder of results."""
