"""The polygon of every labelled pixel, also where labels come as an image."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int
from scipy import ndimage

from pdml.scenes.labels import LabelMap

EIGHT_NEIGHBOURS = np.ones((3, 3), dtype=bool)


def regions_of(labels: LabelMap) -> Int[np.ndarray, " labelled"]:
    """The polygon that each labelled pixel lies in, numbered from 0 without gaps.

    Labels that were drawn know their polygons. In an image, pixels of one class that touch at a
    side or a corner are one polygon.

    Args:
        labels: The labels; their pixels are visited in row-major order.
    """
    groups = _connected(labels) if labels.groups is None else labels.groups
    _, regions = np.unique(groups.ravel()[labels.labelled.indices], return_inverse=True)
    return regions


def _connected(labels: LabelMap) -> Int[np.ndarray, "row col"]:
    groups = np.zeros(labels.shape, dtype=np.int64)
    n_before = 0
    for code, window in enumerate(ndimage.find_objects(labels.codes), start=1):
        if window is not None:
            parts, count = ndimage.label(labels.codes[window] == code, structure=EIGHT_NEIGHBOURS)
            groups[window][parts > 0] = parts[parts > 0] + n_before
            n_before += count
    return groups
