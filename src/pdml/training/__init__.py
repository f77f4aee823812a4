"""Recipe, loop, checkpoint, history."""
