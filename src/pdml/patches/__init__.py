"""A scene and pixel indices become tensors: normalise, gather, augment, sample."""
