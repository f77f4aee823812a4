"""Networks that turn spectra and patches into features, one file each."""
