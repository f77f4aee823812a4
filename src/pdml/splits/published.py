"""Published split: training and test pixels as someone else fixed them, as two label maps."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Bool

from pdml.errors import InvalidInputError
from pdml.scenes.labels import LabelMap
from pdml.splits.blocks import split_blocks
from pdml.splits.checks import require_share, require_trained
from pdml.splits.split import Split


def split_published(
    train: LabelMap,
    test: LabelMap,
    *,
    validation: float = 0.1,
    guard_pixels: int | None = None,
    seed: int = 0,
) -> Split:
    """Takes training and test pixels as they are given; validation comes out of training.

    The maps need not lie inside any other ground truth: published training maps often mark pixels
    that the usual labels leave out.

    Args:
        train: Training pixels, 0 elsewhere.
        test: Test pixels, 0 elsewhere.
        validation: Share of each class's training pixels, rounded down, that validates instead;
            0 for none.
        guard_pixels: Smallest distance between validation and training pixels. Validation is then
            taken in blocks, and training pixels within that distance are dropped; drawn pixel by
            pixel when not given.
        seed: Same seed, same validation pixels.

    Raises:
        InvalidInputError: If the maps have different sizes or class names, share a pixel, or leave
            a class without training pixels.
    """
    require_share("validation", validation, zero_allowed=True)
    if train.shape != test.shape:
        raise InvalidInputError(
            f"training and test labels must have the same size, got {train.shape[0]} x "
            f"{train.shape[1]} and {test.shape[0]} x {test.shape[1]}; both must be of one scene"
        )
    shared = np.count_nonzero((train.codes > 0) & (test.codes > 0))
    if shared:
        raise InvalidInputError(
            f"training and test labels must not share a pixel, got {shared} in both; "
            "set them to 0 in one of the two"
        )
    class_names = _common_names(train, test)
    how: dict[str, Any] = {"strategy": "published", "validation": validation, "seed": seed}
    if guard_pixels is not None and validation > 0:
        apart = split_blocks(
            train, guard_pixels=guard_pixels, train=1 - validation, validation=0.0, seed=seed
        )
        how |= {"guard_pixels": guard_pixels, "dropped_pixels": apart.how["dropped_pixels"]}
        return Split(apart.train, apart.test, test.labelled, train.shape, class_names, how)
    chosen = _drawn(train, validation, np.random.default_rng(seed))
    labelled = train.labelled
    return require_trained(
        Split(labelled[~chosen], labelled[chosen], test.labelled, train.shape, class_names, how)
    )


def _drawn(
    labels: LabelMap, share: float, generator: np.random.Generator
) -> Bool[np.ndarray, " labelled"]:
    """A share of each class, rounded down, drawn pixel by pixel."""
    labelled = labels.labelled
    drawn = np.zeros(len(labelled), dtype=bool)
    for number in range(labels.n_classes):
        members = generator.permutation(np.flatnonzero(labelled.classes == number))
        drawn[members[: int(share * len(members))]] = True
    return drawn


def _common_names(train: LabelMap, test: LabelMap) -> tuple[str, ...]:
    # A map that lacks the last classes is allowed to know only the first names.
    longer, shorter = sorted((train.class_names, test.class_names), key=len, reverse=True)
    if longer[: len(shorter)] != shorter:
        raise InvalidInputError(
            "training and test labels must name the same classes, got "
            f"{', '.join(train.class_names)} and {', '.join(test.class_names)}"
        )
    return longer
