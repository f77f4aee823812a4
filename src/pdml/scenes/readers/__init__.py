"""One file per format; each registers itself under its file name."""
