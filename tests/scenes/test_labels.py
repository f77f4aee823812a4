"""Label maps: the one place where 0 means unlabelled."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.scenes.labels import LabelMap


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int64", "float32", "float64"])
def test_classes_start_at_zero_and_keep_the_order_of_the_pixels(dtype: str) -> None:
    labels = LabelMap.from_array(np.array([[0, 2, 1], [3, 0, 2]], dtype=dtype))
    np.testing.assert_array_equal(labels.labelled.indices, [1, 2, 3, 5])
    np.testing.assert_array_equal(labels.labelled.classes, [1, 0, 2, 1])
    np.testing.assert_array_equal(labels.counts, [1, 2, 1])
    assert labels.class_names == ("class 1", "class 2", "class 3")


def test_a_class_without_pixels_keeps_its_place() -> None:
    labels = LabelMap.from_array(np.array([[1, 3]]), class_names=("a", "b", "c", "d"))
    np.testing.assert_array_equal(labels.counts, [1, 0, 1, 0])


def test_labelled_pixels_can_be_chosen_by_position() -> None:
    labelled = LabelMap.from_array(np.array([[1, 2, 0, 1]])).labelled
    chosen = labelled[np.array([2, 0])]
    np.testing.assert_array_equal(chosen.indices, [3, 0])
    assert (len(labelled), len(chosen)) == (3, 2)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.ones(4), r"labels must be \(row, col\), got an array of shape \(4,\)"),
        (np.zeros((2, 2)), "must mark at least one pixel"),
        (np.array([[1.0, 1.5]]), r"whole numbers from 0, got 1.5 \(1 fractional"),
        (np.array([[1, -2]]), "got -2; use 0 for unlabelled"),
        (np.array([[1.0, np.nan]]), "got NaN or infinite values"),
        (np.array([["a", "b"]]), "whole numbers, got values of type <U1"),
    ],
)
def test_what_is_not_a_label_map_is_refused(array: np.ndarray, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        LabelMap.from_array(array)


def test_each_class_needs_a_name() -> None:
    with pytest.raises(InvalidInputError, match="labels go up to 3, got 2 names"):
        LabelMap.from_array(np.array([[1, 3]]), class_names=("a", "b"))


def test_labels_of_another_size_are_refused_with_both_sizes() -> None:
    labels = LabelMap.from_array(np.ones((2, 3)))
    labels.require_shape((2, 3))
    with pytest.raises(InvalidInputError, match="the scene is 3 x 2 pixels, the labels are 2 x 3"):
        labels.require_shape((3, 2))
