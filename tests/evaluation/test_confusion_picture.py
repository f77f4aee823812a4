"""The heat map of a confusion matrix: readable, complete, nothing cut."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.evaluation.confusion_picture import MOST_CLASSES_WITH_COUNTS, confusion_picture


def test_each_count_stands_in_its_cell_and_zeros_are_left_out() -> None:
    figure = confusion_picture(np.array([[5, 1], [0, 1234]]), ["a", "b"])
    found = {(text.get_position(), text.get_text()) for text in figure.axes[0].texts}
    assert found == {((0, 0), "5"), ((1, 0), "1"), ((1, 1), "1234")}


def test_colours_are_shares_of_the_true_class() -> None:
    figure = confusion_picture(np.array([[3, 1], [0, 0]]), ["a", "b"])
    shown = np.asarray(figure.axes[0].get_images()[0].get_array())
    np.testing.assert_allclose(shown, np.array([[0.75, 0.25], [0.0, 0.0]]))


def test_true_classes_are_rows() -> None:
    axes = confusion_picture(np.eye(2, dtype=int), ["a", "b"]).axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("predicted class", "true class")


@pytest.mark.parametrize("n_classes", [2, 16, 40])
def test_the_longest_names_are_not_cut(n_classes: int) -> None:
    names = [f"Buildings-Grass-Trees-Drives {number}" for number in range(n_classes)]
    figure = confusion_picture(np.eye(n_classes, dtype=int), names)
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert min(box.x0, box.y0) >= 0
    assert box.x1 <= width
    assert box.y1 <= height


def test_many_classes_are_shown_without_counts() -> None:
    n_classes = MOST_CLASSES_WITH_COUNTS + 1
    figure = confusion_picture(np.eye(n_classes, dtype=int), [str(n) for n in range(n_classes)])
    assert not figure.axes[0].texts
