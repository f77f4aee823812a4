"""The split by count."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.scenes.labels import LabelMap
from pdml.splits.per_class import split_per_class

from .conftest import labels_from_counts


def test_each_class_gives_the_same_number_and_the_rest_is_tested() -> None:
    split = split_per_class(
        labels_from_counts([20, 300, 45]), train_per_class=12, validation_per_class=3
    )
    assert split.counts["train"].tolist() == [12, 12, 12]
    assert split.counts["validation"].tolist() == [3, 3, 3]
    assert split.counts["test"].tolist() == [5, 285, 30]


def test_validation_is_half_of_training_by_default() -> None:
    split = split_per_class(labels_from_counts([20, 30]), train_per_class=7)
    assert split.counts["validation"].tolist() == [3, 3]
    assert split.how["validation_per_class"] == 3


def test_no_pixel_is_in_two_parts_or_lost(field: LabelMap) -> None:
    split = split_per_class(field, seed=1)
    parts = (split.train, split.validation, split.test)
    together = np.sort(np.concatenate([part.indices for part in parts]))
    np.testing.assert_array_equal(together, field.labelled.indices)


def test_the_seed_decides_the_split(field: LabelMap) -> None:
    first, again, other = (split_per_class(field, seed=seed).train.indices for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_class_that_is_too_small_is_named_with_its_count() -> None:
    labels = LabelMap.from_array(
        np.repeat([1, 2], [100, 15])[None], class_names=["soybean", "oats"]
    )
    with pytest.raises(InvalidInputError, match=r"at least 16 labelled pixels .* 'oats' has 15;"):
        split_per_class(labels, train_per_class=10)


@pytest.mark.parametrize(("train", "validation"), [(0, 0), (5, -1)])
def test_numbers_out_of_range_are_refused(train: int, validation: int) -> None:
    with pytest.raises(InvalidInputError, match=f"per class, got {train} and {validation}"):
        split_per_class(
            labels_from_counts([50]), train_per_class=train, validation_per_class=validation
        )
