"""Shared by the tests of datasets: a small card, its files, and folders of its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from pdml.datasets.card import Card, DataFile

COUNTS = (5, 3, 8)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder; no other folder is looked at."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("PDML_CACHE", str(folder))
    monkeypatch.delenv("PDML_DATA", raising=False)
    return folder


@pytest.fixture
def card() -> Card:
    """A dataset of 6 x 7 pixels whose files cannot be downloaded."""
    return Card(
        name="tiny",
        title="Tiny",
        files=(
            DataFile("cube", ("tiny.mat",), keys=("tiny",)),
            DataFile("labels", ("tiny_gt.mat",), keys=("tiny_gt",)),
        ),
        shape=(6, 7, 4),
        dtype="uint16",
        class_names=("grass", "soil", "water"),
        colours=("#00ff00", "#884400", "#0000ff"),
        counts={"labels": COUNTS},
        rgb_bands=(2, 1, 0),
        citation="nobody",
        about={"sensor": "none"},
    )


@pytest.fixture
def write_files() -> Callable[[Path], None]:
    """Writes the files of the small card into a folder."""

    def write(folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        cube = np.random.default_rng(0).integers(1, 999, (6, 7, 4)).astype(np.uint16)
        codes = np.zeros(42, dtype=np.uint8)
        codes[: sum(COUNTS)] = np.repeat([1, 2, 3], COUNTS)
        savemat(folder / "tiny.mat", {"tiny": cube})
        savemat(folder / "tiny_gt.mat", {"tiny_gt": codes.reshape(6, 7)})

    return write


@pytest.fixture
def served(card: Card, write_files: Callable[[Path], None], tmp_path: Path) -> Card:
    """The small card with addresses from which its files come when `pooch` is asked."""
    write_files(tmp_path / "server")
    files = tuple(
        replace(file, urls=(f"http://gone.invalid/{file.names[0]}", f"copy://{file.names[0]}"))
        for file in card.files
    )
    return replace(card, files=files)


@pytest.fixture
def network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replaces the network by a folder; returns the list of addresses that are asked for."""
    asked: list[str] = []

    def retrieve(
        url: str, known_hash: str | None, *, fname: str, path: Path, progressbar: bool
    ) -> str:
        asked.append(url)
        assert progressbar
        if url.startswith("http"):
            raise OSError("no route\nto host")
        path.mkdir(parents=True, exist_ok=True)
        (path / fname).write_bytes((tmp_path / "server" / fname).read_bytes())
        return str(path / fname)

    monkeypatch.setattr("pooch.retrieve", retrieve)
    return asked


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real label maps beside the project; the test is skipped without it."""
    beside = Path(__file__).parents[3] / "shared" / "data"
    folder = Path(os.environ.get("PDML_SHARED_DATA", beside))
    if not folder.is_dir():
        pytest.skip("the shared data are not here")
    return folder
