"""The confusion matrix: how often each class was taken for each other."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int

from pdml.errors import InvalidInputError


def confusion_matrix(
    truth: Int[np.ndarray, " n"], predicted: Int[np.ndarray, " n"], n_classes: int
) -> Int[np.ndarray, "truth predicted"]:
    """Counts the pixels of each pair of true and predicted class.

    Args:
        truth: True classes, 0 to K-1.
        predicted: Predicted classes of the same pixels, 0 to K-1.
        n_classes: K.

    Returns:
        Counts with one row per true class and one column per predicted class.

    Raises:
        InvalidInputError: If the two do not belong together or hold anything but 0 to K-1.
    """
    if truth.ndim != 1 or truth.shape != predicted.shape:
        raise InvalidInputError(
            "truth and prediction must be two lists of the same pixels, "
            f"got shapes {truth.shape} and {predicted.shape}; take both at the same indices"
        )
    _require_classes("true", truth, n_classes)
    _require_classes("predicted", predicted, n_classes)
    pairs = truth.astype(np.int64) * n_classes + predicted.astype(np.int64)
    return np.bincount(pairs, minlength=n_classes**2).reshape(n_classes, n_classes)


def _require_classes(role: str, classes: Int[np.ndarray, " n"], n_classes: int) -> None:
    if classes.dtype.kind not in "ui":
        raise InvalidInputError(
            f"{role} classes must be whole numbers, got values of type {classes.dtype}; "
            "for probabilities take the most probable class: probability.argmax(axis=1)"
        )
    outside = classes[(classes < 0) | (classes >= n_classes)]
    if outside.size:
        raise InvalidInputError(
            f"{role} classes must be from 0 to {n_classes - 1}, got {outside[0]} "
            f"({outside.size} such pixels); leave out pixels that are unlabelled or not measured"
        )
