"""The picture of the embedding: which pixels it shows, and that a seed decides everything."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.evaluation.embedding_plot import embedding_picture, in_plane, stratified_sample
from pdml.evaluation.picture import picture_bytes

CLASSES = np.repeat([0, 1, 2], 15)
SEPARATED = np.eye(3)[CLASSES] * 20 + np.random.default_rng(0).random((45, 3))


def test_a_sample_keeps_the_share_of_each_class_and_every_rare_one() -> None:
    classes = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [3000, 996, 4]))
    chosen = stratified_sample(classes, 1000, seed=0)
    counts = np.bincount(classes[chosen])
    assert len(np.unique(chosen)) == 1000
    np.testing.assert_allclose(counts, [750, 249, 1], atol=1)
    assert counts[2] >= 1


def test_a_small_set_is_taken_whole() -> None:
    np.testing.assert_array_equal(stratified_sample(CLASSES, 45, seed=0), np.arange(45))


def test_another_seed_draws_other_pixels_and_the_same_seed_the_same() -> None:
    classes = np.zeros(1000, int)
    first, again, other = (stratified_sample(classes, 50, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_groups_that_are_apart_stay_apart_in_the_plane() -> None:
    plane = in_plane(SEPARATED, seed=0)
    distance = np.linalg.norm(plane[:, None] - plane[None], axis=2)
    nearest = (distance + 1e9 * np.eye(45)).argmin(axis=1)
    assert (CLASSES[nearest] == CLASSES).mean() > 0.9


def test_the_same_seed_gives_the_same_plane() -> None:
    np.testing.assert_array_equal(in_plane(SEPARATED, seed=3), in_plane(SEPARATED, seed=3))


def test_both_halves_show_the_same_pixels_in_the_colours_of_their_classes() -> None:
    figure = embedding_picture(SEPARATED, SEPARATED[::-1], CLASSES, class_names=("a", "b", "c"))
    left, right = (axes.collections[0] for axes in figure.axes)
    np.testing.assert_array_equal(left.get_facecolor(), right.get_facecolor())
    assert len(np.unique(left.get_facecolor(), axis=0)) == 3
    assert [axes.get_title() for axes in figure.axes] == ["before training", "after training"]


def test_the_legend_has_the_classes_that_are_there_below_both_halves() -> None:
    names = ("a", "absent", "b", "c")
    figure = embedding_picture(
        SEPARATED, SEPARATED, np.where(CLASSES > 0, CLASSES + 1, 0), class_names=names
    )
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b", "c"]
    box = legend.get_window_extent()
    assert 0 <= box.y0 < box.y1 < figure.axes[0].get_window_extent().y0


def test_a_collapsed_embedding_is_drawn_too() -> None:
    collapsed = np.ones((45, 3))
    figure = embedding_picture(SEPARATED, collapsed, CLASSES, class_names=("a", "b", "c"))
    assert picture_bytes(figure)


def test_embeddings_of_other_pixels_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"got shapes \(45, 3\) and \(44, 3\) for 45"):
        embedding_picture(SEPARATED, SEPARATED[1:], CLASSES, class_names=("a", "b", "c"))


def test_too_few_pixels_are_refused() -> None:
    few = SEPARATED[:4]
    with pytest.raises(InvalidInputError, match="at least 10 pixels, got 4"):
        embedding_picture(few, few, CLASSES[:4], class_names=("a", "b", "c"))


def test_not_a_number_is_refused() -> None:
    broken = np.full_like(SEPARATED, np.nan)
    with pytest.raises(InvalidInputError, match="NaN or infinite values after training"):
        embedding_picture(SEPARATED, broken, CLASSES, class_names=("a", "b", "c"))
