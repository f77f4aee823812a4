"""A label map with given counts of each class, for scenes of which only these are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Int

from pdml.datasets.parcels import smooth_field
from pdml.errors import InvalidInputError


def counted_labels(
    shape: tuple[int, int], counts: Sequence[int], *, rng: np.random.Generator
) -> Int[np.ndarray, "row col"]:
    """Labels exactly so many pixels of each class, in blobs that do not overlap.

    A class takes the pixels where a smooth random field of its own is highest, among those that are
    still free; large classes come first and have larger blobs.

    Args:
        shape: Rows and columns.
        counts: Pixels of classes 1 to K.
        rng: Source of randomness.

    Returns:
        0 where nothing is labelled, else 1 to K.

    Raises:
        InvalidInputError: If there are more labels than pixels.
    """
    if sum(counts) > shape[0] * shape[1]:
        raise InvalidInputError(
            f"labels must fit into the scene: {sum(counts)} labelled pixels were asked for, "
            f"{shape[0]} x {shape[1]} pixels are there; enlarge the scene"
        )
    codes = np.zeros(shape, dtype=np.int32)
    for class_ in np.argsort(counts)[::-1]:
        chosen = highest(codes == 0, counts[class_], rng=rng)
        codes[chosen] = class_ + 1
    return codes


def highest(
    allowed: Bool[np.ndarray, "row col"], count: int, *, rng: np.random.Generator
) -> Bool[np.ndarray, "row col"]:
    """So many of the allowed pixels, where a smooth random field is highest."""
    smoothness = 1 + np.sqrt(count) / 8
    field = smooth_field(allowed.shape, smoothness, rng)
    inside = np.flatnonzero(allowed)
    chosen = np.zeros(allowed.shape, dtype=bool)
    chosen.flat[inside[np.argsort(-field.flat[inside], kind="stable")[:count]]] = True
    return chosen
