"""Pixels of a scene that training may look at without a label."""

from __future__ import annotations

from typing import Literal

import numpy as np
from jaxtyping import Int

from pdml.errors import InvalidInputError
from pdml.patches.source import PatchSource
from pdml.splits.neighbourhood import as_mask, near
from pdml.splits.split import Split

Unlabelled = Literal["outside_test", "scene"]


def unlabelled_pixels(
    source: PatchSource, split: Split, which: Unlabelled
) -> Int[np.ndarray, " n"]:
    """Flat indices of measured pixels, whose labels are not looked at.

    Args:
        source: The scene's patches.
        split: Training pixels are left out, they have labels.
        which: "outside_test": no pixel whose patch holds a test pixel. "scene": all pixels; then
            training sees the spectra of test pixels, though not their labels, and a score says
            nothing about a scene that was not there during training.

    Raises:
        InvalidInputError: If there is no such pixel.
    """
    allowed = source.measured & ~as_mask(split.train.indices, split.scene_shape)
    if which == "outside_test":
        allowed &= ~near(as_mask(split.test.indices, split.scene_shape), source.patch_size // 2)
    found = np.flatnonzero(allowed)
    if not len(found):
        raise InvalidInputError(
            "lambda_consistency needs pixels without a label, got none that are at a distance from "
            "all test pixels; set lambda_consistency = 0, or unlabelled = 'scene', which looks at "
            "the spectra of test pixels"
        )
    return found
