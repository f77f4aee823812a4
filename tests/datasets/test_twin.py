"""Twins: the size and the counts of the real scene, and marked as what they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pdml.datasets.card import Card, dataset_card
from pdml.datasets.twin import twin_dataset
from pdml.errors import UnreadableFileError
from pdml.scenes.scene import Scene


@pytest.fixture
def small_ksc() -> Card:
    """KSC with three classes on 30 x 20 pixels."""
    card = dataset_card("ksc")
    return replace(
        card,
        shape=(30, 20, 12),
        class_names=card.class_names[:3],
        colours=card.colours[:3],
        counts={"labels": (50, 20, 9)},
    )


def save_ksc(folder: Path, codes: np.ndarray) -> np.ndarray:
    """Published labels with two spectra of each class; returns their means."""
    levels = np.array([[1990], [2010], [4010], [3990], [8000], [8000]])
    spectra = np.broadcast_to(levels, (6, 12)).astype(np.int16)
    labels = np.array([1, 1, 2, 2, 3, 3], dtype=np.uint8)
    np.savez(folder / "ksc_sparse.npz", gt=codes, spectra=spectra, labels=labels)
    means: np.ndarray = spectra.reshape(3, 2, 12).mean(axis=1)
    return means


def published_codes() -> np.ndarray:
    codes = np.zeros((30, 20), dtype=np.uint8)
    codes.flat[:79] = np.repeat([1, 2, 3], (50, 20, 9))
    return codes


def test_without_published_parts_the_counts_are_right_and_all_else_is_made_up(
    small_ksc: Card, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PDML_SHARED_DATA", raising=False)
    twin = twin_dataset(small_ksc)
    assert twin.scene.shape == (30, 20, 12)
    assert twin.scene.source.dtype == np.uint16
    assert tuple(twin.labels.counts) == (50, 20, 9)
    assert twin.scene.about["twin"]
    assert twin.scene.about["synthetic"]
    assert twin.scene.about["labels"] == "generated with the published counts"
    assert twin.scene.name == "twin of ksc"
    assert twin.paths == ()
    again = twin_dataset(small_ksc)
    assert np.array_equal(again.scene.read(), twin.scene.read())


def test_published_labels_and_spectra_are_taken(
    small_ksc: Card, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    means = save_ksc(tmp_path, published_codes())
    monkeypatch.setenv("PDML_SHARED_DATA", str(tmp_path))
    twin = twin_dataset(small_ksc)
    assert np.array_equal(twin.labels.codes, published_codes())
    assert twin.scene.about["spectra"] == "published class means"
    cube = twin.scene.read()
    levels = [cube[published_codes() == code].mean() for code in (1, 2, 3)]
    assert levels == sorted(levels)
    assert levels[0] == pytest.approx(means[0].mean(), rel=0.3)
    assert twin.paths == (tmp_path / "ksc_sparse.npz",)


def test_a_file_with_other_labels_is_refused(
    small_ksc: Card, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PDML_SHARED_DATA", str(tmp_path))
    codes = published_codes()
    codes[29, 19] = 1
    save_ksc(tmp_path, codes)
    with pytest.raises(UnreadableFileError, match=r"got 51 \(not 50\) of 'Scrub'"):
        twin_dataset(small_ksc)
    (tmp_path / "ksc_sparse.npz").write_bytes(b"PK no zip")
    with pytest.raises(UnreadableFileError, match=r"must hold the published labels of Kennedy"):
        twin_dataset(small_ksc)


def test_published_parts_of_a_split_do_not_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PDML_SHARED_DATA", raising=False)
    card = dataset_card("houston2013")
    small = replace(
        card,
        shape=(25, 30, 6),
        class_names=card.class_names[:2],
        colours=card.colours[:2],
        counts={"train": (20, 10), "test": (30, 60)},
    )
    twin = twin_dataset(small)
    assert twin.train is not None
    assert twin.test is not None
    assert (tuple(twin.train.counts), tuple(twin.test.counts)) == ((20, 10), (30, 60))
    assert not ((twin.train.codes > 0) & (twin.test.codes > 0)).any()
    assert tuple(twin.labels.counts) == (50, 70)
    assert twin.scene.source.dtype == np.float32


@pytest.mark.parametrize("name", ["pavia_university", "ksc", "houston2013"])
def test_real_label_maps_have_the_published_counts(
    name: str, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = dataset_card(name)
    given: dict[str, Any] = {}

    def flat_scene(**options: Any) -> tuple[Scene, None]:
        given.update(options)
        return Scene.from_array(np.zeros((*card.shape[:2], card.shape[2]), np.uint8)), None

    monkeypatch.setenv("PDML_SHARED_DATA", str(shared_data))
    monkeypatch.setattr("pdml.datasets.twin.synthetic_scene", flat_scene)
    twin = twin_dataset(card)
    assert tuple(twin.labels.counts) == card.counts_of_all
    assert twin.scene.about["labels"] == "published"
    if name == "houston2013":
        assert twin.train is not None
        assert twin.test is not None
        assert tuple(twin.train.counts) == card.counts["train"]
        assert tuple(twin.test.counts) == card.counts["test"]
    if name != "pavia_university":  # it has no published spectra
        assert given["spectra"].shape == (card.n_classes, card.shape[2])
