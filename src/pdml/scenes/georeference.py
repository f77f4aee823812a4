"""`Georeference`: where on earth the pixels of a raster are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

Transform = tuple[float, float, float, float, float, float]
"""a, b, c, d, e, f of x = a * col + b * row + c and y = d * col + e * row + f, at pixel corners."""


@dataclass(frozen=True)
class Georeference:
    """A coordinate reference system and the place of each pixel in it.

    Attributes:
        transform: From column and row to map coordinates.
        crs: The coordinate reference system as WKT; empty where the file names none.
    """

    transform: Transform
    crs: str = ""

    def xy(self, row: float, col: float) -> tuple[float, float]:
        """Map coordinates of a place in the raster; whole numbers are corners of pixels."""
        a, b, c, d, e, f = self.transform
        return a * col + b * row + c, d * col + e * row + f

    def pixels(self, xy: Float[np.ndarray, "n 2"]) -> Float[np.ndarray, "n 2"]:
        """Column and row of places in map coordinates: the reverse of `xy`, for many at once."""
        a, b, c, d, e, f = self.transform
        back: Float[np.ndarray, "2 2"] = np.linalg.inv(np.array([[a, b], [d, e]]))
        places: Float[np.ndarray, "n 2"] = (xy - np.array([c, f])) @ back.T
        return places

    def moved(self, row: int, col: int) -> Georeference:
        """The same for a raster that begins at another pixel."""
        a, b, _, d, e, _ = self.transform
        x, y = self.xy(row, col)
        return replace(self, transform=(a, b, x, d, e, y))

    def bounds(self, shape: tuple[int, int]) -> tuple[float, float, float, float]:
        """Smallest x and y, then largest x and y, of a raster of some rows and columns."""
        corners = [self.xy(row, col) for row in (0, shape[0]) for col in (0, shape[1])]
        xs, ys = zip(*corners, strict=True)
        return min(xs), min(ys), max(xs), max(ys)
