"""Where the files of a dataset are: the user's folder, an installed package, the cache."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pdml.datasets.card import Card, DataFile
from pdml.datasets.download import download
from pdml.errors import MissingFileError

DATA_VARIABLE = "PDML_DATA"
CACHE_VARIABLE = "PDML_CACHE"


@dataclass(frozen=True)
class Located:
    """A file that was found.

    Attributes:
        path: Where it is.
        origin: The user's folder, an installed package, the cache, or the network just now.
    """

    path: Path
    origin: Literal["folder", "package", "cache", "network"]

    @property
    def is_download(self) -> bool:
        """Whether it was downloaded, now or earlier."""
        return self.origin in ("cache", "network")


def cache_folder() -> Path:
    """The folder of downloads: `PDML_CACHE`, or the system's folder for caches."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    import pooch

    return Path(pooch.os_cache("pdml"))


def locate(
    card: Card, file: DataFile, *, data_dir: str | Path | None = None, may_download: bool = True
) -> Located | None:
    """Finds a file of a dataset, downloading it if it must.

    Looked at in turn: the user's folder, the package that carries the file, the cache, the file's
    addresses. In the user's folder a file may lie in a folder named after the dataset.

    Args:
        card: The dataset.
        file: The file.
        data_dir: The user's folder; that in `PDML_DATA` when None.
        may_download: Whether the network may be used.

    Returns:
        The file, or None if it is not required and not there.

    Raises:
        MissingFileError: If the file is required and cannot be had.
    """
    chosen = data_dir or os.environ.get(DATA_VARIABLE)
    folders = [Path(chosen).expanduser()] if chosen else []
    if found := _in_folders([folder / sub for folder in folders for sub in (card.name, "")], file):
        return Located(found, "folder")
    if found := _installed(file):
        return Located(found, "package")
    cache = cache_folder() / card.name
    if found := _in_folders([cache], file):
        return Located(found, "cache")
    if not file.required:
        return None
    reasons = ["downloading was not allowed"]
    if may_download:
        path, reasons = download(file, cache)
        if path:
            return Located(path, "network")
    raise _missing(card, file, [*folders, cache], reasons)


def _in_folders(folders: list[Path], file: DataFile) -> Path | None:
    places = (folder / name for folder in folders for name in file.names)
    return next((place for place in places if place.is_file()), None)


def _installed(file: DataFile) -> Path | None:
    """The file inside the package that carries it, found without importing the package."""
    if file.installed is None:
        return None
    package, inside = file.installed
    spec = importlib.util.find_spec(package)
    roots = (spec.submodule_search_locations or []) if spec else []
    places = (Path(root) / inside for root in roots)
    return next((place for place in places if place.is_file()), None)


def _missing(
    card: Card, file: DataFile, folders: list[Path], reasons: list[str]
) -> MissingFileError:
    looked = ", ".join(f"'{folder}'" for folder in folders)
    how = card.how_to_get or f"download {file.names[0]} by hand"
    return MissingFileError(
        f"{card.name} needs a file {' or '.join(file.names)} ({file.role}), but it is not in "
        f"{looked} ({'; '.join(reasons)}); {how}, put it into a folder and set {DATA_VARIABLE} "
        "to that folder"
    )
