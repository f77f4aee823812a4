"""Room for the features of a whole scene, which cannot be made tile by tile."""

from __future__ import annotations

import math

from pdml.errors import InvalidInputError
from pdml.inference.memory import in_words
from pdml.inference.plan import PROCESS_BYTES
from pdml.patches.fitted_features import FittedFeatures


def left_beside_features(
    features: FittedFeatures | None, shape: tuple[int, int], *, memory_bytes: int
) -> int:
    """Memory that is left for tiles when the features of a scene are there.

    Args:
        features: What the model sees; None for bands, which need no room.
        shape: Rows and columns of the scene.
        memory_bytes: The limit for the whole process.

    Raises:
        InvalidInputError: If the features cannot be computed below the limit.
    """
    if features is None:
        return memory_bytes
    n_pixels = shape[0] * shape[1]
    needed = PROCESS_BYTES + n_pixels * features.pixel_bytes
    if memory_bytes < needed:
        in_steps = 100 * 10**6 * math.ceil(needed / (100 * 10**6))
        raise InvalidInputError(
            f"features = '{features.name}' are computed for the whole scene at once, which needs "
            f"{in_words(in_steps)} of memory for {shape[0]} x {shape[1]} pixels, got "
            f"{in_words(memory_bytes)}; say --memory {in_steps // 10**6}MB or more, or map parts "
            "of the scene one by one"
        )
    return memory_bytes - n_pixels * 4 * features.n_channels
