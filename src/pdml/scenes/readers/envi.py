"""ENVI: raw values in any order and of any type, described by a text file that ends in `.hdr`.

Either of the two files can be named; both must lie in one folder.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from jaxtyping import Shaped

from pdml.errors import MissingFileError, UnreadableFileError
from pdml.scenes.gdal_scene import gdal_arrays, gdal_image, gdal_scene
from pdml.scenes.reader import READERS, StoredArray
from pdml.scenes.scene import Scene

HEADER = ".hdr"
DATA = (".bsq", ".bil", ".bip", ".dat", ".raw", ".envi")
OF_OTHER_READERS = ("", ".img")
"""Names of ENVI data that say nothing of it; they are looked for beside a header, too."""


@READERS.register
class EnviReader:
    """Reads `.hdr` and the data beside it: `.bsq`, `.bil`, `.bip`, `.dat`, `.raw`."""

    suffixes: ClassVar[tuple[str, ...]] = (*DATA, HEADER)

    def stored(self, path: Path) -> list[StoredArray]:
        """The bands as one cube, named after the file."""
        return gdal_arrays(_data(path))

    def scene(self, path: Path, name: str) -> Scene:
        """The cube as a scene, with what the header says of its bands and its place."""
        return replace(gdal_scene(_data(path), name), name=path.stem)

    def image(self, path: Path, name: str) -> Shaped[np.ndarray, "row col"]:
        """The first band."""
        return gdal_image(_data(path), name)


def _data(path: Path) -> Path:
    """The file with the values.

    Raises:
        MissingFileError: If a header has no data beside it.
        UnreadableFileError: If data have no header beside them.
    """
    beside = {file.name.lower(): file for file in path.parent.iterdir()}
    if path.suffix.lower() != HEADER:
        headers = [f"{path.stem}{HEADER}", f"{path.name}{HEADER}"]
        if not any(name.lower() in beside for name in headers):
            raise UnreadableFileError(
                f"'{path}' must have an ENVI header beside it, there is neither '{headers[0]}' nor "
                f"'{headers[1]}'; copy the header too, or rename the file if it is of another kind"
            )
        return path
    wanted = [f"{path.stem}{suffix}" for suffix in (*OF_OTHER_READERS, *DATA)]
    for name in wanted:
        if name.lower() in beside:
            return beside[name.lower()]
    raise MissingFileError(
        f"an ENVI header needs its data beside it, '{path}' has none of {', '.join(wanted)}; put "
        "both files into one folder"
    )
