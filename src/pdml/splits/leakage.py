"""`leakage`: how much of the training pixels the test patches get to see."""

from __future__ import annotations

from dataclasses import dataclass

from pdml.errors import InvalidInputError
from pdml.splits.checks import require_odd
from pdml.splits.neighbourhood import as_mask, near
from pdml.splits.split import Split


@dataclass(frozen=True)
class Leakage:
    """How far test and training patches of a split overlap.

    Attributes:
        patch_size: Side of the patches that were assumed.
        own_patch_share: Share of test pixels with a training pixel inside their own patch.
        overlap_share: Share of test pixels whose patch shares a pixel with any training patch.
    """

    patch_size: int
    own_patch_share: float
    overlap_share: float


def leakage(split: Split, patch_size: int) -> Leakage:
    """Measures the overlap of test patches with training pixels and patches.

    Args:
        split: The split.
        patch_size: Side of the patches, odd.

    Raises:
        InvalidInputError: If the patch size is even or below 1, or no pixel is tested.
    """
    require_odd(patch_size)
    if not len(split.test):
        raise InvalidInputError("leakage needs test pixels, got a split without any")
    train = as_mask(split.train.indices, split.scene_shape)
    inside = near(train, patch_size // 2).ravel()[split.test.indices]
    overlapping = near(train, patch_size - 1).ravel()[split.test.indices]
    return Leakage(patch_size, float(inside.mean()), float(overlapping.mean()))
