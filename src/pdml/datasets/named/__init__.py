"""One file per public scene; each registers its card under its file name."""
