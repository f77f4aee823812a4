"""What every dataset must declare, and that it loads from files laid out as it says."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from pdml.datasets.card import LABEL_ROLES, Card, DataFile, dataset_card, dataset_names
from pdml.datasets.load import load_card

MINIATURE = (24, 20, 6)


@pytest.fixture(params=dataset_names())
def card(request: pytest.FixtureRequest) -> Card:
    """The card of each dataset in turn."""
    return dataset_card(request.param)


def _miniature(card: Card) -> Card:
    """The same dataset with few pixels, few bands, and as few labels as keep the classes apart."""
    counts = {role: tuple(1 + k % 4 for k in range(card.n_classes)) for role in card.counts}
    return replace(card, shape=MINIATURE, counts=counts, wavelengths_nm=None)


def _write(card: Card, folder: Path) -> None:
    """Writes the files of a card as MATLAB files, two roles into one file where they share it."""
    rng = np.random.default_rng(0)
    contents: dict[str, dict[str, np.ndarray]] = {}
    free = rng.permutation(MINIATURE[0] * MINIATURE[1])
    for file in card.files:
        if file.role == "cube":
            array = rng.integers(0, 1000, MINIATURE).astype(card.dtype)
        else:
            codes = np.repeat(np.arange(1, card.n_classes + 1), card.counts[file.role])
            array = np.zeros(MINIATURE[:2], dtype=np.uint8)
            chosen, free = free[: len(codes)], free[len(codes) :]
            array.flat[chosen] = codes
        contents.setdefault(file.names[0], {})[file.keys[0]] = array
    for name, arrays in contents.items():
        savemat(folder / name, arrays)


def test_the_card_is_registered_under_its_own_name() -> None:
    assert [dataset_card(name).name for name in dataset_names()] == dataset_names()


def test_there_is_one_name_one_colour_and_one_count_per_class(card: Card) -> None:
    lengths = {len(card.colours), *(len(counts) for counts in card.counts.values())}
    assert lengths == {card.n_classes}
    assert len(set(card.class_names)) == card.n_classes
    assert min(card.counts_of_all) > 0


def test_colours_are_distinct_and_not_that_of_the_background(card: Card) -> None:
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in card.colours)
    levels = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in card.colours])
    with_white = np.vstack([levels, [255, 255, 255]])
    apart = np.linalg.norm(with_white[:, None] - with_white[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 40


def test_bands_and_wavelengths_fit_the_shape(card: Card) -> None:
    assert all(0 <= band < card.shape[2] for band in card.rgb_bands)
    if card.wavelengths_nm is not None:
        assert len(card.wavelengths_nm) == card.shape[2]
        assert list(card.wavelengths_nm) == sorted(card.wavelengths_nm)
        assert 300 < card.wavelengths_nm[0] < card.wavelengths_nm[-1] < 2600


def test_everything_that_is_printed_is_filled_in(card: Card) -> None:
    assert all([card.title, card.citation, card.terms, card.about.get("sensor")])
    assert all(card.about.values())


def test_there_is_a_cube_and_labels_and_a_way_to_get_them(card: Card) -> None:
    files = {file.role: file for file in card.files if file.required}
    assert "cube" in files
    assert set(files) & set(LABEL_ROLES)
    assert {file.role for file in card.files} - {"cube"} <= set(card.counts)
    assert all(_can_be_had(file) or card.how_to_get for file in files.values())


def _can_be_had(file: DataFile) -> bool:
    return bool(file.urls) and all(url.startswith("http") for url in file.urls)


def test_a_miniature_in_the_same_layout_loads(card: Card, tmp_path: Path) -> None:
    miniature = _miniature(card)
    _write(miniature, tmp_path)
    data = load_card(miniature, data_dir=tmp_path, download=False)
    assert data.scene.shape == MINIATURE
    assert data.labels.class_names == card.class_names
    assert tuple(data.labels.counts) == miniature.counts_of_all
    for role, part in (("train", data.train), ("test", data.test)):
        assert (part is not None) == any(file.role == role for file in card.files)
