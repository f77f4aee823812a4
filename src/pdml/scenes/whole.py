"""A cube in a format that can only be read whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Shaped

from pdml.scenes.window import Window

Load = Callable[[Path, str], Shaped[np.ndarray, "*axes"]]


@dataclass(frozen=True)
class WholeFileSource:
    """Loads the cube when its values are first asked for and keeps it.

    What was loaded is left behind when the source is pickled, so that it stays cheap to send.

    Attributes:
        path: The file.
        name: The array's name in it.
        shape: Rows, columns, bands, as the header says.
        load: Reads the array; a function of a module, so that it can be pickled.
    """

    path: Path
    name: str
    shape: tuple[int, int, int]
    load: Load
    _loaded: dict[str, Shaped[np.ndarray, "row col band"]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the stored values."""
        return self._cube.dtype

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """The values inside a window."""
        return np.ascontiguousarray(self._cube[window.slices])

    @property
    def _cube(self) -> Shaped[np.ndarray, "row col band"]:
        if "cube" not in self._loaded:
            self._loaded["cube"] = self.load(self.path, self.name)
        return self._loaded["cube"]

    def __reduce__(self) -> tuple[type[WholeFileSource], tuple[Any, ...]]:
        """Pickles where the cube is, not the cube."""
        return type(self), (self.path, self.name, self.shape, self.load)


def cube_shape(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """A stored shape, known to have three axes, as rows, columns, bands."""
    n_rows, n_cols, n_bands = shape
    return n_rows, n_cols, n_bands
