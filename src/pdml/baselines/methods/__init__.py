"""One file per method; the file's stem is its name."""
