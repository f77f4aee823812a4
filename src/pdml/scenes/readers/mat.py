"""MATLAB's `.mat`, versions 4 to 7 through scipy and 7.3 (which is HDF5) through h5py."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from jaxtyping import Shaped

from pdml.scenes.reader import READERS, StoredArray, reading
from pdml.scenes.scene import CubeSource, Scene
from pdml.scenes.whole import WholeFileSource, cube_shape
from pdml.scenes.window import Window

if TYPE_CHECKING:
    import h5py


@dataclass(frozen=True)
class Hdf5MatSource:
    """A cube in a version 7.3 file, of which only the pixels that are asked for are read.

    MATLAB counts the first axis fastest and HDF5 the last, so the file has (band, col, row).
    """

    path: Path
    name: str
    shape: tuple[int, int, int]
    dtype: np.dtype[Any]

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """The values inside a window."""
        import h5py

        rows, cols = window.slices
        with reading(self.path), h5py.File(self.path, "r") as file:
            return np.ascontiguousarray(file[self.name][:, cols, rows].T)


@READERS.register
class MatReader:
    """Reads `.mat`."""

    suffixes: ClassVar[tuple[str, ...]] = (".mat",)

    def stored(self, path: Path) -> list[StoredArray]:
        """The variables of the file, from their headers."""
        import h5py
        from scipy.io import whosmat

        if not h5py.is_hdf5(path):
            return [StoredArray(name, shape, kind) for name, shape, kind in whosmat(path)]
        with h5py.File(path, "r") as file:
            return [
                StoredArray(name, item.shape[::-1], _matlab_class(item))
                for name, item in file.items()
                if isinstance(item, h5py.Dataset)
            ]

    def scene(self, path: Path, name: str) -> Scene:
        """The cube as a scene; versions 4 to 7 are read whole when first needed."""
        return Scene(self._source(path, name), name=path.stem)

    def image(self, path: Path, name: str) -> Shaped[np.ndarray, "row col"]:
        """The image, read at once."""
        import h5py

        if h5py.is_hdf5(path):
            with h5py.File(path, "r") as file:
                array = np.asarray(file[name][()]).T
        else:
            array = _load(path, name)
        return array.reshape(array.shape[:2])

    def _source(self, path: Path, name: str) -> CubeSource:
        import h5py

        if h5py.is_hdf5(path):
            with h5py.File(path, "r") as file:
                stored = file[name]
                return Hdf5MatSource(path, name, cube_shape(stored.shape[::-1]), stored.dtype)
        (array,) = (array for array in self.stored(path) if array.name == name)
        return WholeFileSource(path, name, cube_shape(array.shape), _load)


def _matlab_class(item: h5py.Dataset) -> str:
    """The variable's class: a text is stored as numbers too, and only this tells it apart."""
    named = item.attrs.get("MATLAB_class")
    return named.decode() if isinstance(named, bytes) else item.dtype.name


def _load(path: Path, name: str) -> Shaped[np.ndarray, "*axes"]:
    from scipy.io import loadmat

    with reading(path):
        array: Shaped[np.ndarray, "*axes"] = loadmat(path, variable_names=[name])[name]
    return array
