"""A glance at a scene: windows from all over it, in a time that does not grow with the scene."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np
from jaxtyping import Float, Int

from pdml.scenes.scene import CubeSource, Scene
from pdml.scenes.window import Window

SECONDS = 2.0
"""After this no further window is read."""

MOST_PIXELS = 2**15
"""Pixels that are kept for statistics."""

PICTURE_SIDE = 256
"""Most rows and columns of the picture."""

MOST_WINDOW_BYTES = 32 * 2**20


@dataclass(frozen=True)
class Glance:
    """What was seen.

    Attributes:
        n_pixels: Pixels that were read.
        n_measured: How many of them were measured.
        is_all: Whether these are all pixels of the scene.
        spectra: Some of the measured ones.
        picture: Evenly spaced pixels in a few bands; NaN where nothing was measured or read.
    """

    n_pixels: int
    n_measured: int
    is_all: bool
    spectra: Float[np.ndarray, "n band"]
    picture: Float[np.ndarray, "row col channel"]


def glance(scene: Scene, bands: Sequence[int], *, seconds: float = SECONDS) -> Glance:
    """Reads windows from all over a scene, coarsely spread at first, until time is over.

    Args:
        scene: The scene.
        bands: Bands of the picture.
        seconds: No window is begun after these, but one is read in any case.
    """
    windows = list(_spread(scene))
    canvas = _Canvas(scene, bands)
    n_each = max(1, MOST_PIXELS // len(windows))
    spectra: list[Float[np.ndarray, "n band"]] = []
    n_pixels, n_measured, begun = 0, 0, monotonic()
    for window in windows:
        if n_pixels and monotonic() - begun > seconds:
            break
        cube = scene.read(window)
        measured = scene.measured(cube)
        seen = cube[measured]
        spectra.append(seen[:: math.ceil(len(seen) / n_each) or 1].astype(np.float32))
        n_pixels += measured.size
        n_measured += len(seen)
        canvas.paint(window, np.where(measured[..., None], cube[..., list(bands)], np.nan))
    is_all = n_pixels == scene.n_rows * scene.n_cols
    return Glance(n_pixels, n_measured, is_all, np.concatenate(spectra), canvas.filled())


class _Canvas:
    """A picture of evenly spaced pixels that is painted window by window."""

    def __init__(self, scene: Scene, bands: Sequence[int]) -> None:
        self.rows, self.cols = _grid(scene)
        shape = len(self.rows), len(self.cols)
        self.values = np.full((*shape, len(bands)), np.nan, dtype=np.float32)
        self.painted = np.zeros(shape, dtype=bool)

    def paint(self, window: Window, values: Float[np.ndarray, "row col channel"]) -> None:
        """Takes the pixels of a window that are on the canvas."""
        rows = (window.row_start <= self.rows) & (self.rows < window.row_stop)
        cols = (window.col_start <= self.cols) & (self.cols < window.col_stop)
        chosen = np.ix_(self.rows[rows] - window.row_start, self.cols[cols] - window.col_start)
        self.values[np.ix_(rows, cols)] = values[chosen]
        self.painted[np.ix_(rows, cols)] = True

    def filled(self) -> Float[np.ndarray, "row col channel"]:
        """The picture; rows that were not reached show the nearest one that was."""
        reached = np.flatnonzero(self.painted.all(axis=1))
        if not len(reached):
            return self.values
        numbers = np.arange(len(self.rows))
        nearest = reached[np.abs(numbers[:, None] - reached).argmin(axis=1)]
        unseen = np.flatnonzero(~self.painted.any(axis=1))
        self.values[unseen] = self.values[nearest[unseen]]
        return self.values


def _spread(scene: Scene) -> Iterator[Window]:
    """Windows as the scene is stored, in an order in which any beginning is spread evenly."""
    height, width = _window_shape(scene)
    n_down, n_across = -(-scene.n_rows // height), -(-scene.n_cols // width)
    tops = _grid(scene)[0] if height == 1 else np.arange(n_down) * height
    for number in _coarse_first(len(tops) * n_across):
        top = int(tops[number // n_across])
        left = number % n_across * width
        yield Window(top, min(top + height, scene.n_rows), left, min(left + width, scene.n_cols))


def _grid(scene: Scene) -> tuple[Int[np.ndarray, " row"], Int[np.ndarray, " col"]]:
    """Rows and columns of the picture's pixels."""
    step = math.ceil(max(scene.n_rows, scene.n_cols) / PICTURE_SIDE)
    rows, cols = (_middles(n, math.ceil(n / step)) for n in (scene.n_rows, scene.n_cols))
    return rows, cols


def _window_shape(scene: Scene) -> tuple[int, int]:
    """Rows and columns that are read at once: a block where the file has blocks, else a row."""
    rows, cols = _block_of(scene.source) or (1, scene.n_cols)
    pixel_bytes = scene.n_bands * scene.source.dtype.itemsize
    most = max(1, MOST_WINDOW_BYTES // pixel_bytes)
    rows = max(1, min(rows, scene.n_rows, most))
    return rows, max(1, min(cols, scene.n_cols, most // rows))


def _block_of(source: CubeSource) -> tuple[int, int] | None:
    """The blocks in which a source, or one that it takes its values from, is stored."""
    inner: object = source
    while inner is not None:
        block: tuple[int, int] | None = getattr(inner, "block", None)
        if block is not None:
            return block
        inner = getattr(inner, "whole", None)
    return None


def _middles(n: int, n_parts: int) -> Int[np.ndarray, " part"]:
    """The middle of each of so many parts of n things."""
    return (2 * np.arange(n_parts) + 1) * n // (2 * n_parts)


def _coarse_first(n: int) -> list[int]:
    """0 to n - 1 by their binary digits in reverse: halves, quarters, eighths."""
    n_digits = max(1, (n - 1).bit_length())
    return sorted(range(n), key=lambda number: f"{number:0{n_digits}b}"[::-1])
