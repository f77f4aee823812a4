"""The methods that PDML is compared with: networks without it, and classical classifiers."""
