"""Splits that others fixed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.scenes.labels import LabelMap
from pdml.splits.published import split_published


def label_map(rows: list[list[int]], names: tuple[str, ...] = ("a", "b")) -> LabelMap:
    return LabelMap.from_array(np.array(rows), class_names=names)


def test_training_and_test_pixels_are_taken_as_they_are() -> None:
    split = split_published(
        label_map([[1, 0, 2], [0, 0, 0]]), label_map([[0, 1, 0], [2, 0, 1]]), validation=0
    )
    assert split.train.indices.tolist() == [0, 2]
    assert split.train.classes.tolist() == [0, 1]
    assert split.test.indices.tolist() == [1, 3, 5]
    assert split.test.classes.tolist() == [0, 1, 0]
    assert len(split.validation) == 0


def test_validation_comes_out_of_each_class_of_training() -> None:
    train = label_map([[1] * 40, [2] * 9 + [0] * 31, [0] * 40])
    test = label_map([[0] * 40, [0] * 40, [1] * 20 + [2] * 20])
    split = split_published(train, test, validation=0.1, seed=4)
    assert split.counts["validation"].tolist() == [4, 0]
    assert split.counts["train"].tolist() == [36, 9]
    again = split_published(train, test, validation=0.1, seed=4)
    np.testing.assert_array_equal(split.validation.indices, again.validation.indices)
    assert not set(split.validation.indices) & set(split.train.indices)


def test_validation_can_be_kept_away_from_training(field: LabelMap) -> None:
    inside = np.arange(40)[:, None] + np.zeros(50, dtype=int) < 30
    train, test = (
        LabelMap.from_array(np.where(part, field.codes, 0), class_names=field.class_names)
        for part in (inside, ~inside)
    )
    split = split_published(train, test, validation=0.2, guard_pixels=3, seed=1)
    places = [np.stack(np.unravel_index(part.indices, (40, 50)))
              for part in (split.validation, split.train)]  # fmt: skip
    distance = np.abs(places[0][:, :, None] - places[1][:, None, :]).max(axis=0)
    assert distance.min() >= 3
    assert len(split.validation) > 0
    assert (split.counts["train"] > 0).all()
    kept = len(split.train) + len(split.validation) + split.how["dropped_pixels"]
    assert kept == len(train.labelled)
    np.testing.assert_array_equal(split.test.indices, test.labelled.indices)


def test_training_pixels_outside_the_usual_ground_truth_are_kept(shared_data: Path) -> None:
    with np.load(shared_data / "pavia_university_labels_only.npz", allow_pickle=False) as stored:
        train, test = LabelMap.from_array(stored["train"]), stored["test"].copy()
    test[train.codes > 0] = 0
    split = split_published(train, LabelMap.from_array(test), validation=0)
    assert len(split.train) == 3921


def test_the_published_disjoint_indian_pines_split_has_its_sizes(shared_data: Path) -> None:
    with np.load(shared_data / "indian_pines_splits.npz", allow_pickle=False) as stored:
        maps = [LabelMap.from_array(stored[f"{part}_disjoint"]) for part in ("train", "test")]
    split = split_published(*maps, validation=0)
    assert (len(split.train), len(split.test)) == (5528, 4711)


def test_maps_that_share_a_pixel_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="must not share a pixel, got 2 in both"):
        split_published(label_map([[1, 2, 2]]), label_map([[1, 2, 0]]))


def test_maps_of_different_sizes_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="the same size, got 1 x 2 and 2 x 2"):
        split_published(label_map([[1, 2]]), label_map([[1, 2], [1, 2]]))


def test_a_class_that_only_the_test_map_knows_is_named() -> None:
    train = label_map([[1, 1, 0, 0]], names=("a",))
    test = label_map([[0, 0, 1, 2]], names=("a", "b"))
    with pytest.raises(InvalidInputError, match="got none for 'b'"):
        split_published(train, test)


def test_maps_with_other_class_names_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="name the same classes, got a, b and b, a"):
        split_published(label_map([[1, 2, 0]]), label_map([[0, 0, 1]], names=("b", "a")))
