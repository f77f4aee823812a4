"""How far a labelled pixel is from the border of its field."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int
from scipy.ndimage import distance_transform_edt


def border_distance(codes: Int[np.ndarray, "row col"]) -> Float[np.ndarray, "row col"]:
    """Distance in pixels to the nearest pixel that is not of the same class, at least 1.

    Unlabelled pixels are of no class, so the edge of what was labelled is a border too; the edge of
    the scene is none. Infinite where all pixels are of one class.

    Args:
        codes: Classes from 1, and 0 where there is no label.
    """
    distance = np.full(codes.shape, np.inf)
    values = np.unique(codes)
    if len(values) > 1:
        for code in values:
            of_class = codes == code
            distance[of_class] = distance_transform_edt(of_class)[of_class]
    return distance
