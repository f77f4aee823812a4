"""What a map says follows from its probabilities, and survives a round trip to disk."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pdml.errors import InvalidInputError, MissingFileError, UnreadableFileError
from pdml.inference.class_map import ClassMap
from pdml.inference.stored_map import load_class_map, save_class_map

MAP = ClassMap(
    probability=np.array(
        [[[0.5, 0.25, 0.25], [1, 0, 0]], [[0.1, 0.1, 0.8], [0, 0, 0]]], np.float32
    ),
    embedding_variance=np.array([[1, 2], [3, 4]], np.float32),
    measured=np.array([[True, True], [True, False]]),
    class_names=("oats", "corn", "woods"),
    colours=("#ff0000", "#00ff00", "#0000ff"),
    scores={"doubt": np.array([[0.1, 0.2], [0.9, 0]], np.float32)},
)


def test_classes_are_the_most_probable_and_none_without_data() -> None:
    np.testing.assert_array_equal(MAP.classes, [[0, 0], [2, -1]])
    np.testing.assert_allclose(MAP.top_probability, [[0.5, 1], [0.8, 0]])


def test_entropy_is_zero_when_sure_and_a_share_of_the_largest_otherwise() -> None:
    by_hand = -(0.5 * math.log(0.5) + 0.5 * math.log(0.25)) / math.log(3)
    assert MAP.entropy[0, 0] == pytest.approx(by_hand)
    assert MAP.entropy[0, 1] == 0


def test_a_map_reads_back_as_it_was_written(tmp_path: Path) -> None:
    save_class_map(tmp_path / "map.npz", MAP)
    found = load_class_map(tmp_path / "map.npz")
    np.testing.assert_array_equal(found.probability, MAP.probability)
    np.testing.assert_array_equal(found.embedding_variance, MAP.embedding_variance)
    np.testing.assert_array_equal(found.measured, MAP.measured)
    assert list(found.scores) == ["doubt"]
    np.testing.assert_array_equal(found.scores["doubt"], MAP.scores["doubt"])
    assert (found.class_names, found.colours) == (MAP.class_names, MAP.colours)


def test_what_is_unknown_is_still_so_when_it_is_read_back(tmp_path: Path) -> None:
    scores = {"unknown": np.array([[2.0, 2.0], [0.5, 9.0]], np.float32)}
    save_class_map(tmp_path / "map.npz", replace(MAP, scores=scores, unknown_above=1.5))
    found = load_class_map(tmp_path / "map.npz")
    assert found.unknown_above == 1.5
    np.testing.assert_array_equal(found.unknown, [[True, True], [False, False]])
    with np.load(tmp_path / "map.npz", allow_pickle=False) as stored:
        np.testing.assert_array_equal(stored["classes"], [[5, 5], [3, 0]])


def test_other_software_finds_classes_from_one(tmp_path: Path) -> None:
    save_class_map(tmp_path / "map.npz", MAP)
    with np.load(tmp_path / "map.npz", allow_pickle=False) as stored:
        np.testing.assert_array_equal(stored["classes"], [[1, 1], [3, 0]])


def test_a_missing_or_broken_map_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"there is no map .*map\.npz; make it with"):
        load_class_map(tmp_path / "map.npz")
    save_class_map(tmp_path / "map.npz", MAP)
    whole = (tmp_path / "map.npz").read_bytes()
    (tmp_path / "map.npz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UnreadableFileError, match="truncated or of another kind; map again"):
        load_class_map(tmp_path / "map.npz")


def test_a_map_without_probabilities_has_classes_and_refuses_to_say_how_sure(
    tmp_path: Path,
) -> None:
    chosen = np.eye(3, dtype=np.float32)[[[0, 2], [1, 1]]]
    plain = ClassMap(chosen, None, MAP.measured, MAP.class_names, has_probability=False)
    save_class_map(tmp_path / "map.npz", plain)
    found = load_class_map(tmp_path / "map.npz")
    np.testing.assert_array_equal(found.codes, [[1, 3], [2, 0]])
    assert not found.has_probability
    with np.load(tmp_path / "map.npz", allow_pickle=False) as stored:
        assert not {"top_probability", "entropy"} & set(stored)
    for name in ("top_probability", "entropy"):
        with pytest.raises(InvalidInputError) as caught:
            getattr(found, name)
        assert str(caught.value) == (
            "this map has classes and no probabilities, as its method gives none; take the "
            "classes, or map with a method that has them, such as rf"
        )
