"""Named public scenes, one file each, and the synthetic scene. No torch here."""
