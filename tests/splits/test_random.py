"""The random split: published sizes, and what it refuses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.scenes.labels import LabelMap
from pdml.splits.random import split_random

from .conftest import labels_from_counts

INDIAN_PINES = (46, 1428, 830, 237, 483, 730, 28, 478, 20, 972, 2455, 593, 205, 1265, 386, 93)
KSC = (761, 243, 256, 252, 161, 229, 105, 431, 520, 404, 419, 503, 927)
PAVIA_UNIVERSITY = (6631, 18649, 2099, 3064, 1345, 5029, 1330, 3682, 947)


@pytest.mark.parametrize(
    ("counts", "train", "validation", "sizes"),
    [
        (INDIAN_PINES, 0.2, 0.1, (2055, 1025, 7169)),
        (KSC, 0.2, 0.1, (1048, 521, 3642)),
        (PAVIA_UNIVERSITY, 0.1, 4281, (4281, 4281, 34214)),
    ],
)
def test_the_sizes_are_those_of_the_published_protocol(
    counts: Sequence[int], train: float, validation: float, sizes: tuple[int, int, int]
) -> None:
    split = split_random(labels_from_counts(counts), train=train, validation=validation)
    assert (len(split.train), len(split.validation), len(split.test)) == sizes


def test_the_parts_are_all_labelled_pixels_once_with_their_own_class(field: LabelMap) -> None:
    split = split_random(field, seed=3)
    parts = (split.train, split.validation, split.test)
    together = np.sort(np.concatenate([part.indices for part in parts]))
    np.testing.assert_array_equal(together, field.labelled.indices)
    for part in parts:
        np.testing.assert_array_equal(field.codes.ravel()[part.indices] - 1, part.classes)


def test_each_class_gives_its_share_rounded_up() -> None:
    split = split_random(labels_from_counts([1, 7, 10, 11]), train=0.2, validation=0)
    assert split.counts["train"].tolist() == [1, 2, 2, 3]


def test_the_seed_decides_the_split(field: LabelMap) -> None:
    first, again, other = (split_random(field, seed=seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first.train.indices, again.train.indices)
    np.testing.assert_array_equal(first.validation.indices, again.validation.indices)
    assert not np.array_equal(first.train.indices, other.train.indices)


def test_validation_follows_the_rest_and_not_the_classes() -> None:
    split = split_random(labels_from_counts([9000, 5]), train=0.2, validation=1)
    assert split.counts["validation"].tolist() == [1, 0]


def test_how_records_everything_that_was_asked(field: LabelMap) -> None:
    how = split_random(field, train=0.3, validation=7, seed=2).how
    assert how == {"strategy": "random", "train": 0.3, "validation": 7, "seed": 2}


@pytest.mark.parametrize("train", [0.0, 1.0, -0.1, 20.0])
def test_a_share_outside_0_to_1_is_refused(field: LabelMap, train: float) -> None:
    with pytest.raises(InvalidInputError, match=r"train is a share .* got .*one pixel in five"):
        split_random(field, train=train)


def test_validation_that_takes_all_test_pixels_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="8 pixels are left after training, got 8"):
        split_random(labels_from_counts([10]), train=0.2, validation=8)


def test_a_class_without_pixels_is_named() -> None:
    labels = LabelMap.from_array(np.ones((4, 4), dtype=int), class_names=["corn", "oats"])
    with pytest.raises(InvalidInputError, match="needs a training pixel, got none for 'oats'"):
        split_random(labels)
