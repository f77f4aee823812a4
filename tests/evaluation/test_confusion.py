"""The confusion matrix against a loop, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.evaluation.confusion import confusion_matrix


def test_confusion_counts_pairs_as_a_loop_does() -> None:
    rng = np.random.default_rng(0)
    truth, predicted = rng.integers(0, 5, 300), rng.integers(0, 5, 300)
    expected = np.zeros((7, 7), dtype=int)
    for row, col in zip(truth, predicted, strict=True):
        expected[row, col] += 1
    np.testing.assert_array_equal(confusion_matrix(truth, predicted, 7), expected)


def test_small_integer_types_do_not_overflow() -> None:
    classes = np.array([250, 250], dtype=np.uint8)
    assert confusion_matrix(classes, classes, 251)[250, 250] == 2


def test_a_pixel_that_was_not_measured_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"predicted classes must be from 0 to 2, got -1 "):
        confusion_matrix(np.array([0, 1, 2]), np.array([0, -1, -1]), 3)


def test_a_true_class_beyond_the_last_is_refused_with_the_number_of_pixels() -> None:
    with pytest.raises(InvalidInputError, match=r"true classes .* got 3 \(2 such pixels\)"):
        confusion_matrix(np.array([3, 3]), np.array([0, 0]), 3)


def test_lists_of_different_pixels_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"shapes \(3,\) and \(2,\)"):
        confusion_matrix(np.zeros(3, int), np.zeros(2, int), 2)


def test_probabilities_in_place_of_classes_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"float64; for probabilities take .*argmax"):
        confusion_matrix(np.zeros(3, int), np.array([0.0, 1.0, 0.0]), 2)
