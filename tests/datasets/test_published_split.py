"""Published splits that a user has to bring."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pdml.datasets.card import Card, PublishedSplit, dataset_card
from pdml.datasets.published_split import load_published_split
from pdml.errors import MissingFileError, UnknownNameError, UnreadableFileError


@pytest.fixture
def card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Card:
    """A scene of 2 x 3 pixels; nothing of this machine is looked at."""
    monkeypatch.setenv("PDML_DATA", str(tmp_path / "mine"))
    monkeypatch.setenv("PDML_SHARED_DATA", str(tmp_path / "shared"))
    monkeypatch.setenv("PDML_CACHE", str(tmp_path / "cache"))
    split = PublishedSplit(("maps.npz",), ("tr", "te"), (2, 1), "someone")
    pines = dataset_card("indian_pines")
    names = pines.class_names[:2]
    return replace(
        pines, shape=(2, 3, 4), class_names=names, colours=pines.colours[:2], splits={"a": split}
    )


@pytest.mark.parametrize("folder", ["mine", "mine/indian_pines", "shared", "cache/indian_pines"])
def test_both_maps_are_found_where_a_user_keeps_his_data(
    card: Card, tmp_path: Path, folder: str
) -> None:
    (tmp_path / folder).mkdir(parents=True)
    maps = {"tr": [[1, 2, 0], [0, 0, 0]], "te": [[0, 0, 0], [0, 1, 0]]}
    np.savez(tmp_path / folder / "maps.npz", tr=np.array(maps["tr"]), te=np.array(maps["te"]))
    train, test = load_published_split(card, "a")
    assert (train.codes.tolist(), test.codes.tolist()) == (maps["tr"], maps["te"])
    assert test.class_names == ("Alfalfa", "Corn-notill")


def test_a_file_that_is_nowhere_is_named_with_all_places(card: Card, tmp_path: Path) -> None:
    with pytest.raises(MissingFileError) as caught:
        load_published_split(card, "a")
    places = [str(tmp_path / name) for name in ("mine", "shared", "cache/indian_pines")]
    assert str(caught.value) == (
        "the published split 'a' of indian_pines needs a file maps.npz, but it is not in "
        f"'{places[0]}', '{places[1]}', '{places[2]}'; put it into a folder and set PDML_DATA to "
        "that folder"
    )
    with pytest.raises(UnknownNameError, match=r"unknown published split of indian_pines 'b'"):
        load_published_split(card, "b")


def test_another_file_of_that_name_is_refused(card: Card, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    np.savez(tmp_path / "mine" / "maps.npz", tr=np.ones((2, 3), int), te=np.eye(2, 3, dtype=int))
    with pytest.raises(UnreadableFileError, match=r"with 2 train pixels in 2 x 3, got 6 in 2 x 3"):
        load_published_split(card, "a")
