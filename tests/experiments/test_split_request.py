"""What is said about a split becomes a split, or a refusal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.experiments.split_request import SplitRequest, requested_split
from pdml.experiments.subject import Subject, open_subject
from pdml.scenes.labels import LabelMap
from pdml.scenes.scene import Scene
from pdml.splits.leakage import leakage
from pdml.splits.per_class import split_per_class
from pdml.splits.store import save_split
from tests.scenes.geodata import field, scene_on_earth, write_features


@pytest.mark.parametrize(
    ("request_", "strategy"),
    [
        (SplitRequest(), "blocks"),
        (SplitRequest(options={"train": 0.3, "train_per_class": None}), "blocks"),
        (SplitRequest(options={"guard_pixels": 3}), "blocks"),
        (SplitRequest(options={"train_per_class": 3}), "per-class"),
        (SplitRequest(train_labels="train.npy"), "published"),
        (SplitRequest("blocks", options={"train_per_class": 3}), "blocks"),
    ],
)
def test_the_strategy_is_guessed_only_where_none_is_named(
    subject: Subject, request_: SplitRequest, strategy: str
) -> None:
    assert request_.chosen_strategy(subject)[0] == strategy


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


def drawn(*polygons_of_each: int) -> Subject:
    """Polygons of 4 x 4 pixels, one class per row of them, with 6 pixels between."""
    codes = np.zeros((10 * len(polygons_of_each), 10 * max(polygons_of_each)), dtype=np.int32)
    groups = np.zeros_like(codes)
    for number, n_polygons in enumerate(polygons_of_each):
        for place in range(n_polygons):
            window = np.s_[10 * number : 10 * number + 4, 10 * place : 10 * place + 4]
            codes[window], groups[window] = number + 1, groups.max() + 1
    names = tuple("abcdef"[: len(polygons_of_each)])
    scene = Scene.from_array(np.zeros((*codes.shape, 2), dtype=np.float32))
    labels = LabelMap(codes, names, groups=groups)
    return Subject(scene, labels, None, None, None, None, {"labels": "fields.gpkg"})


def test_labels_that_were_drawn_are_split_by_their_polygons_unless_told_otherwise() -> None:
    subject = drawn(3, 4)
    split = requested_split(SplitRequest(), subject, patch_size=3, seed=0)
    assert split.how["strategy"] == "polygons"
    assert split.how["why"] == "Split by whole polygons, because the labels were drawn as such."
    assert SplitRequest(options={"train": 0.5}).chosen_strategy(subject)[0] == "polygons"
    assert SplitRequest(options={"train_per_class": 1}).chosen_strategy(subject)[0] == "per-class"
    assert SplitRequest("random").chosen_strategy(subject) == ("random", "")


def test_too_few_polygons_are_split_in_blocks_with_a_sentence_and_not_at_random() -> None:
    split = requested_split(SplitRequest(), drawn(3, 2, 2), patch_size=3, seed=0)
    assert split.how["strategy"] == "blocks"
    assert split.how["why"] == (
        "Split in blocks, not by polygons, which needs 3 of each class: 'b' has 2, 'c' has 2."
    )
    assert (split.counts["train"] > 0).all()
    assert (split.counts["test"] > 0).all()
    assert leakage(split, 3).overlap_share == 0.0
    without = SplitRequest(options={"validation": 0})
    assert without.chosen_strategy(drawn(3, 2, 2))[0] == "polygons"
    with pytest.raises(InvalidInputError, match=r"needs at least 3 polygons of each class"):
        requested_split(SplitRequest("polygons"), drawn(3, 2, 2), patch_size=3, seed=0)


def test_labels_that_were_not_drawn_are_split_in_blocks(subject: Subject) -> None:
    strategy, why = SplitRequest().chosen_strategy(subject)
    assert strategy == "blocks"
    assert why.endswith("because no --split was given.")


def test_public_scenes_are_split_as_they_were_published(subject: Subject) -> None:
    own = {**subject.origin, "labels": None}
    pines = replace(subject, dataset="indian_pines", origin=own)
    strategy, why = SplitRequest().chosen_strategy(pines)
    assert strategy == "random"
    assert "--split blocks keeps training and test apart" in why
    houston = replace(pines, dataset="houston2013")
    assert SplitRequest().chosen_strategy(houston)[0] == "published"
    assert SplitRequest(options={"train": 0.1}).chosen_strategy(houston)[0] == "random"
    # With labels of one's own it is a scene of one's own.
    relabelled = replace(pines, origin={**own, "labels": "mine.npy"})
    assert SplitRequest().chosen_strategy(relabelled)[0] == "blocks"


def test_labels_too_few_for_blocks_are_refused_with_what_to_try() -> None:
    codes = np.zeros((40, 40), dtype=np.int32)
    for number in range(3):
        codes[10 * number : 10 * number + 3, 5:8] = number + 1
    scene = Scene.from_array(np.zeros((40, 40, 2), dtype=np.float32))
    tiny = Subject(scene, LabelMap(codes, ("a", "b", "c")), None, None, None, None, {})
    with pytest.raises(InvalidInputError) as caught:
        requested_split(SplitRequest(), tiny, patch_size=5, seed=0)
    assert str(caught.value) == (
        "blocks must leave most classes to test, got no test pixel of a, b, c with a guard of 5 "
        "pixels in a scene of 40 x 40; label more places, try a smaller patch size, or split at "
        "random, whose score says little about new ground"
    )


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
