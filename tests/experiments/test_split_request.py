"""What is said about a split becomes a split, or a refusal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.experiments.split_request import SplitRequest, requested_split
from pdml.experiments.subject import Subject, open_subject
from pdml.scenes.labels import LabelMap
from pdml.splits.per_class import split_per_class
from pdml.splits.store import save_split
from tests.scenes.geodata import field, scene_on_earth, write_features


@pytest.mark.parametrize(
    ("request_", "strategy"),
    [
        (SplitRequest(), "random"),
        (SplitRequest(options={"train": 0.3, "train_per_class": None}), "random"),
        (SplitRequest(options={"train_per_class": 3}), "per-class"),
        (SplitRequest(train_labels="train.npy"), "published"),
        (SplitRequest("blocks", options={"train_per_class": 3}), "blocks"),
    ],
)
def test_the_strategy_is_guessed_only_where_none_is_named(
    request_: SplitRequest, strategy: str
) -> None:
    assert request_.chosen_strategy(None) == strategy


def test_nothing_said_is_told_from_something_said() -> None:
    assert not SplitRequest(options={"train": None}).says_something
    assert SplitRequest(options={"validation": 0}).says_something
    assert SplitRequest("random").says_something
    assert SplitRequest(file="split.npz").says_something


def test_a_stored_split_is_taken_as_it_is(place: Path, subject: Subject) -> None:
    assert subject.labels is not None
    stored = split_per_class(subject.labels, train_per_class=2, seed=5)
    save_split(stored, place / "split.npz")
    split = requested_split(SplitRequest(file="split.npz"), subject, patch_size=3, seed=0)
    np.testing.assert_array_equal(split.train.indices, stored.train.indices)
    assert split.how == stored.how


@pytest.mark.parametrize("keys", [(None, None), ("train", "test")])
def test_published_pixels_come_from_two_files_or_one_with_two_keys(
    place: Path, keys: tuple[str | None, str | None]
) -> None:
    files = ("train.npy", "test.npy") if keys[0] is None else ("both.npz", "both.npz")
    request = SplitRequest(
        options={"validation": 0},
        train_labels=files[0],
        test_labels=files[1],
        train_labels_key=keys[0],
        test_labels_key=keys[1],
    )
    # The scene needs no other labels.
    split = requested_split(request, open_subject("cube.npy"), patch_size=3, seed=0)
    assert split.train.indices.max() < 18 <= split.test.indices.min()
    assert (len(split.train), len(split.test)) == (15, 15)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (SplitRequest("random", file="s.npz"), "a split file says everything about the split"),
        (
            SplitRequest(file="s.npz", options={"train": 0.1}),
            "a split file says everything about the split",
        ),
        (
            SplitRequest("random", train_labels="train.npy"),
            "training and test labels belong to the split 'published', got them with 'random'",
        ),
        (SplitRequest("published"), "'cube' comes with none; name them with --train-labels FILE"),
        (
            SplitRequest(train_labels="train.npy"),
            "the split 'published' needs training and test labels",
        ),
    ],
)
def test_a_request_that_contradicts_itself_is_refused(
    subject: Subject, request_: SplitRequest, message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        requested_split(request_, subject, patch_size=3, seed=0)


def test_a_split_with_other_classes_than_the_labels_is_refused(
    place: Path, subject: Subject
) -> None:
    np.save("one.npy", np.minimum(np.load("train.npy"), 1))
    np.save("other.npy", np.minimum(np.load("test.npy"), 1))
    request = SplitRequest(train_labels="one.npy", test_labels="other.npy")
    with pytest.raises(
        InvalidInputError, match=r"the split has class 1; the labels have class 1, class 2"
    ):
        requested_split(request, subject, patch_size=3, seed=0)


def test_labels_that_were_drawn_are_split_by_their_polygons_unless_told_otherwise() -> None:
    codes = np.ones((2, 3), dtype=np.int32)
    drawn = LabelMap(codes, ("a",), groups=np.array([[1, 1, 2], [1, 1, 2]]))
    assert SplitRequest().chosen_strategy(drawn) == "polygons"
    assert SplitRequest(options={"train": 0.5}).chosen_strategy(drawn) == "polygons"
    assert SplitRequest(options={"train_per_class": 1}).chosen_strategy(drawn) == "per-class"
    assert SplitRequest("random").chosen_strategy(drawn) == "random"
    assert SplitRequest().chosen_strategy(LabelMap(codes, ("a",))) == "random"


def test_published_polygons_follow_the_classes_of_the_training_part(tmp_path: Path) -> None:
    train, test = tmp_path / "train.gpkg", tmp_path / "test.gpkg"
    crops = ["oats", "rye", "wheat"]
    write_features(train, [field(0, 3 * n, 2, 2) for n in range(3)], {"crop": crops})
    write_features(test, [field(5, 0, 2, 2)], {"crop": ["wheat"]})
    origin = {"class_field": "crop", "layer": None}
    land = Subject(scene_on_earth(8, 9), None, None, None, None, None, origin)
    request = SplitRequest(
        options={"validation": 0}, train_labels=str(train), test_labels=str(test)
    )
    split = requested_split(request, land, patch_size=3, seed=0)
    assert split.class_names == ("oats", "rye", "wheat")
    assert split.counts["train"].tolist() == [4, 4, 4]
    assert split.counts["test"].tolist() == [0, 0, 4]
