"""Which pixels have a marked pixel nearby, for all pixels at once."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Int


def near(mask: Bool[np.ndarray, "row col"], radius: int) -> Bool[np.ndarray, "row col"]:
    """Pixels with a marked pixel at most `radius` rows and columns away, themselves included.

    Args:
        mask: The marked pixels.
        radius: Largest distance, counted like a king's moves (Chebyshev).
    """
    return _spread(_spread(mask, radius).T, radius).T


def as_mask(
    indices: Int[np.ndarray, " n"], scene_shape: tuple[int, int]
) -> Bool[np.ndarray, "row col"]:
    """A scene in which the pixels with these flat indices are marked."""
    mask = np.zeros(scene_shape[0] * scene_shape[1], dtype=bool)
    mask[indices] = True
    return mask.reshape(scene_shape)


def _spread(mask: Bool[np.ndarray, "line place"], radius: int) -> Bool[np.ndarray, "line place"]:
    """Marks all lines up to `radius` before and after a marked one, place by place."""
    found = mask
    reached = 0
    while reached < radius:
        # What has spread by so much is shifted by one more and joined: the number of passes is the
        # logarithm of the radius.
        step = min(reached + 1, radius - reached)
        grown = found.copy()
        grown[step:] |= found[:-step]
        grown[:-step] |= found[step:]
        found = grown
        reached += step
    return found
