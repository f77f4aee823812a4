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


def test_a_small_class_gives_no_more_than_its_largest_share() -> None:
    labels = labels_from_counts([20, 300, 45])
    split = split_per_class(labels, train_per_class=20, validation_per_class=10, largest_share=0.5)
    # Of 10 pixels of the first class two thirds train; half of the third class is 22.
    assert split.counts["train"].tolist() == [7, 20, 15]
    assert split.counts["validation"].tolist() == [3, 10, 7]
    assert split.how["largest_share"] == 0.5
    without = split_per_class(labels, train_per_class=50, validation_per_class=0, largest_share=0.5)
    assert without.counts["train"].tolist() == [10, 50, 22]
    assert without.counts["test"].tolist() == [10, 250, 23]
    with pytest.raises(InvalidInputError, match=r"largest_share is a share and must be above 0"):
        split_per_class(labels, largest_share=1.5)


def test_without_a_largest_share_the_same_pixels_are_drawn_as_ever(field: LabelMap) -> None:
    plain = split_per_class(field, train_per_class=5, seed=2)
    wide = split_per_class(field, train_per_class=5, largest_share=0.9, seed=2)
    np.testing.assert_array_equal(plain.train.indices, wide.train.indices)
    assert "largest_share" not in plain.how
