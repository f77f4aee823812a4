"""Loading a public scene by name: find the files, open them, check that they are the right ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pdml.datasets.card import LABEL_ROLES, Card, DataFile, Role, dataset_card
from pdml.datasets.checksum import remember, require_recorded
from pdml.datasets.locate import Located, locate
from pdml.datasets.verify import verify_labels, verify_scene
from pdml.errors import PdmlError
from pdml.scenes.labels import LabelMap
from pdml.scenes.open import open_labels, open_scene, reader_for
from pdml.scenes.reader import reading
from pdml.scenes.scene import Scene


@dataclass(frozen=True)
class LoadedDataset:
    """A public scene, ready for use.

    Attributes:
        scene: The cube.
        labels: All labelled pixels.
        card: What is known about it.
        train: The published training pixels, where there is such a map.
        test: The published test pixels.
        paths: The files that were opened.
    """

    scene: Scene
    labels: LabelMap
    card: Card
    train: LabelMap | None
    test: LabelMap | None
    paths: tuple[Path, ...]


def load_dataset(
    name: str, *, data_dir: str | Path | None = None, download: bool = True
) -> LoadedDataset:
    """Loads a public scene by name.

    Args:
        name: One of `dataset_names()`.
        data_dir: A folder with the dataset's files; that in `PDML_DATA` when None.
        download: Whether files that are nowhere may be downloaded.

    Raises:
        UnknownNameError: If there is no such dataset.
        MissingFileError: If a file is not there and cannot be downloaded.
        UnreadableFileError: If a file is not what the dataset's card says.
    """
    return load_card(dataset_card(name), data_dir=data_dir, download=download)


def fetch_dataset(name: str, *, data_dir: str | Path | None = None) -> list[Path]:
    """Makes sure that a dataset's files are there and right, and says where they are."""
    return list(load_dataset(name, data_dir=data_dir).paths)


def load_card(
    card: Card, *, data_dir: str | Path | None = None, download: bool = True
) -> LoadedDataset:
    """Loads the scene that a card describes; `load_dataset` says the rest."""
    found = {
        file.role: (file, located)
        for file in card.files
        if (located := locate(card, file, data_dir=data_dir, may_download=download))
    }
    downloads = [located for _, located in found.values() if located.is_download]
    for located in downloads:
        require_recorded(located.path)
    try:
        loaded = _opened(card, found)
    except PdmlError:
        for located in downloads:
            if located.origin == "network":  # or it would be taken for the dataset the next time
                located.path.unlink(missing_ok=True)
        raise
    for located in downloads:
        remember(located.path)
    return loaded


def _opened(card: Card, found: dict[Role, tuple[DataFile, Located]]) -> LoadedDataset:
    maps = {role: _labels(card, *found[role]) for role in LABEL_ROLES if role in found}
    return LoadedDataset(
        scene=_scene(card, *found["cube"]),
        labels=maps["labels"] if "labels" in maps else _joined(card, maps),
        card=card,
        train=maps.get("train"),
        test=maps.get("test"),
        paths=tuple(dict.fromkeys(located.path for _, located in found.values())),
    )


def _scene(card: Card, file: DataFile, located: Located) -> Scene:
    scene = open_scene(located.path, key=_key(file, located.path))
    verify_scene(card, scene, located.path)
    wavelengths = None if card.wavelengths_nm is None else np.array(card.wavelengths_nm)
    return replace(
        scene, name=card.name, wavelengths_nm=wavelengths, about={**scene.about, **card.about}
    )


def _labels(card: Card, file: DataFile, located: Located) -> LabelMap:
    labels = open_labels(
        located.path,
        key=_key(file, located.path),
        class_names=card.class_names,
        colours=card.colours,
    )
    verify_labels(card, labels, located.path, file.role)
    return labels


def _key(file: DataFile, path: Path) -> str | None:
    """The name under which this copy holds the array, if it is one of those known."""
    with reading(path):
        stored = {array.name for array in reader_for(path).stored(path)}
    return next((key for key in file.keys if key in stored), None)


def _joined(card: Card, maps: dict[Role, LabelMap]) -> LabelMap:
    """The labels of all parts together, for scenes that are published in parts only."""
    codes = np.zeros(card.shape[:2], dtype=np.int32)
    for labels in maps.values():
        codes = np.where(codes == 0, labels.codes, codes)
    return LabelMap(codes, card.class_names, card.colours)
