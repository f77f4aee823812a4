"""Split by count: the same number of training pixels for each class."""

from __future__ import annotations

from typing import Any

import numpy as np

from pdml.errors import InvalidInputError
from pdml.scenes.labels import LabelMap
from pdml.splits.checks import require_share, require_trained
from pdml.splits.split import Split


def split_per_class(
    labels: LabelMap,
    *,
    train_per_class: int = 10,
    validation_per_class: int | None = None,
    largest_share: float | None = None,
    seed: int = 0,
) -> Split:
    """Draws a fixed number of pixels of each class at random; the rest is tested.

    Args:
        labels: The labelled scene.
        train_per_class: Training pixels of each class.
        validation_per_class: Validation pixels of each class; half of `train_per_class` (rounded
            down) when not given.
        largest_share: Share of a class that trains and validates at most, so that small classes
            give fewer pixels; a class that is too small is refused when not given.
        seed: Same seed, same split.

    Raises:
        InvalidInputError: If a class has too few pixels to train, validate and still test one, or
            a number is out of range.
    """
    if validation_per_class is None:
        validation_per_class = train_per_class // 2
    if train_per_class < 1 or validation_per_class < 0:
        raise InvalidInputError(
            "a split needs at least 1 training and 0 validation pixels per class, "
            f"got {train_per_class} and {validation_per_class}"
        )
    if largest_share is None:
        _require_enough(labels, train_per_class, validation_per_class)
    else:
        require_share("largest_share", largest_share)
    generator = np.random.default_rng(seed)
    labelled = labels.labelled
    parts: tuple[list[np.ndarray], ...] = ([], [], [])
    for number in range(labels.n_classes):
        members = generator.permutation(np.flatnonzero(labelled.classes == number))
        n_train, n_validation = train_per_class, validation_per_class
        if largest_share is not None:
            drawn_at_most = max(1, int(largest_share * len(members)))
            n_train = min(n_train, _trained_of(drawn_at_most, n_train, n_validation))
            n_validation = min(n_validation, drawn_at_most - n_train)
        cuts = [n_train, n_train + n_validation]
        for part, drawn in zip(parts, np.split(members, cuts), strict=True):
            part.append(drawn)
    train, validation, test = (labelled[np.sort(np.concatenate(part))] for part in parts)
    how: dict[str, Any] = {
        "strategy": "per-class",
        "train_per_class": train_per_class,
        "validation_per_class": validation_per_class,
        "seed": seed,
    }
    if largest_share is not None:
        how["largest_share"] = largest_share
    return require_trained(Split(train, validation, test, labels.shape, labels.class_names, how))


def _trained_of(n_drawn: int, n_train: int, n_validation: int) -> int:
    """How many of some pixels train, in the proportion that was asked for; at least one."""
    return max(1, round(n_drawn * n_train / (n_train + n_validation)))


def _require_enough(labels: LabelMap, n_train: int, n_validation: int) -> None:
    needed = n_train + n_validation + 1
    short = [
        f"'{name}' has {count}"
        for name, count in zip(labels.class_names, labels.counts.tolist(), strict=True)
        if count < needed
    ]
    if short:
        raise InvalidInputError(
            f"each class needs at least {needed} labelled pixels ({n_train} to train, "
            f"{n_validation} to validate, 1 to test), but {', '.join(short)}; "
            "ask for fewer pixels per class"
        )
