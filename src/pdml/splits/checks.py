"""What must hold for every split: each class is trained, and the split fits its scene."""

from __future__ import annotations

import numpy as np

from pdml.errors import InvalidInputError
from pdml.splits.split import Split


def require_trained(split: Split) -> Split:
    """Checks that every class has a training pixel, and hands the split back.

    Raises:
        InvalidInputError: If a class has none; the message names all of them.
    """
    absent = np.flatnonzero(split.counts["train"] == 0)
    if absent.size:
        names = ", ".join(f"'{split.class_names[number]}'" for number in absent)
        raise InvalidInputError(
            f"every class needs a training pixel, got none for {names}; "
            "train on a larger share, or take the class out of the labels"
        )
    return split


def require_scene(split: Split, scene_shape: tuple[int, int]) -> None:
    """Checks that a split was made for a scene of this size.

    Raises:
        InvalidInputError: If rows or columns differ; both sizes are in the message.
    """
    if tuple(split.scene_shape) != tuple(scene_shape):
        raise InvalidInputError(
            f"the split must belong to the scene: it was made for {split.scene_shape[0]} x "
            f"{split.scene_shape[1]} pixels, the scene has {scene_shape[0]} x {scene_shape[1]}; "
            "make a new split or open the scene that it was made for"
        )


def require_share(name: str, share: float, *, zero_allowed: bool = False) -> None:
    """Checks that an option is a share between 0 and 1.

    Raises:
        InvalidInputError: If it is not.
    """
    if not (0 < share < 1 or (zero_allowed and share == 0)):
        lower = "at least 0" if zero_allowed else "above 0"
        raise InvalidInputError(
            f"{name} is a share and must be {lower} and below 1, got {share}; "
            "0.2 means one pixel in five"
        )


def require_shares(train: float, validation: float) -> None:
    """Checks that training and validation leave something to test.

    Raises:
        InvalidInputError: If they do not.
    """
    if train + validation >= 1:
        raise InvalidInputError(
            f"train and validation must leave a share to test, got {train} + {validation}; "
            "lower one of them"
        )


def require_odd(patch_size: int) -> None:
    """Checks that a patch has a pixel in its centre.

    Raises:
        InvalidInputError: If the size is even or below 1.
    """
    if patch_size < 1 or patch_size % 2 == 0:
        raise InvalidInputError(
            f"the patch size must be odd and at least 1, got {patch_size}; "
            "a patch needs a pixel in its centre: try 5"
        )
