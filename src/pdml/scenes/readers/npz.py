"""NumPy's `.npz`: several named arrays in a zip archive."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import ClassVar

import numpy as np
from jaxtyping import Shaped
from numpy.lib import format as npy_format

from pdml.scenes.reader import READERS, StoredArray, reading
from pdml.scenes.scene import Scene
from pdml.scenes.whole import WholeFileSource, cube_shape


@READERS.register
class NpzReader:
    """Reads `.npz`."""

    suffixes: ClassVar[tuple[str, ...]] = (".npz",)

    def stored(self, path: Path) -> list[StoredArray]:
        """The arrays of the archive, from their headers."""
        with zipfile.ZipFile(path) as archive:
            members = [name for name in archive.namelist() if name.endswith(".npy")]
            return [_header(archive, member) for member in members]

    def scene(self, path: Path, name: str) -> Scene:
        """The cube as a scene; it is read whole when first needed."""
        (array,) = (array for array in self.stored(path) if array.name == name)
        return Scene(WholeFileSource(path, name, cube_shape(array.shape), _load), name=path.stem)

    def image(self, path: Path, name: str) -> Shaped[np.ndarray, "row col"]:
        """The image, read at once."""
        array = _load(path, name)
        return array.reshape(array.shape[:2])


def _header(archive: zipfile.ZipFile, member: str) -> StoredArray:
    with archive.open(member) as file:
        read = (
            npy_format.read_array_header_1_0
            if npy_format.read_magic(file) == (1, 0)
            else npy_format.read_array_header_2_0
        )
        shape, _, dtype = read(file)
    return StoredArray(member.removesuffix(".npy"), shape, dtype.name)


def _load(path: Path, name: str) -> Shaped[np.ndarray, "*axes"]:
    with reading(path), np.load(path, allow_pickle=False) as archive:
        array: Shaped[np.ndarray, "*axes"] = archive[name]
    return array
