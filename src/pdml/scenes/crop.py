"""A rectangle of a scene as a scene of its own, read on demand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Shaped

from pdml.scenes.scene import CubeSource, Scene
from pdml.scenes.window import Window


@dataclass(frozen=True)
class CroppedSource:
    """A window of another source."""

    whole: CubeSource
    window: Window

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns, bands of the window."""
        return (*self.window.shape, self.whole.shape[2])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the stored values."""
        return self.whole.dtype

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """The values inside a window that is counted from the crop's own corner."""
        row, col = self.window.row_start, self.window.col_start
        return self.whole.read(
            Window(
                window.row_start + row,
                window.row_stop + row,
                window.col_start + col,
                window.col_stop + col,
            )
        )


def crop(scene: Scene, window: Window) -> Scene:
    """The part of a scene inside a window."""
    georeference = scene.georeference and scene.georeference.moved(
        window.row_start, window.col_start
    )
    return replace(scene, source=CroppedSource(scene.source, window), georeference=georeference)
