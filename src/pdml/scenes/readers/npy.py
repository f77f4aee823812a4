"""NumPy's `.npy`: one array, memory-mapped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Shaped

from pdml.scenes.reader import READERS, StoredArray, reading
from pdml.scenes.scene import Scene
from pdml.scenes.whole import cube_shape
from pdml.scenes.window import Window


@dataclass(frozen=True)
class NpySource:
    """A cube of which only the pixels that are asked for are read."""

    path: Path
    shape: tuple[int, int, int]
    dtype: np.dtype[Any]

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """The values inside a window."""
        return np.array(_mapped(self.path)[window.slices], order="C")


@READERS.register
class NpyReader:
    """Reads `.npy`."""

    suffixes: ClassVar[tuple[str, ...]] = (".npy",)

    def stored(self, path: Path) -> list[StoredArray]:
        """The one array, named after the file."""
        array = _mapped(path)
        return [StoredArray(path.stem, array.shape, array.dtype.name)]

    def scene(self, path: Path, name: str) -> Scene:
        """The cube as a scene."""
        array = _mapped(path)
        return Scene(NpySource(path, cube_shape(array.shape), array.dtype), name=name)

    def image(self, path: Path, name: str) -> Shaped[np.ndarray, "row col"]:
        """The image, read at once."""
        array = _mapped(path)
        return np.array(array).reshape(array.shape[:2])


def _mapped(path: Path) -> Shaped[np.ndarray, "*axes"]:
    with reading(path):
        array: Shaped[np.ndarray, "*axes"] = np.load(path, mmap_mode="r", allow_pickle=False)
    return array
