"""A source that is stored in blocks: each is read and unpacked once, not for every window in it.

Scenes are worked on in strips of a few rows, while files are compressed in blocks of hundreds.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Shaped

from pdml.scenes.scene import CubeSource
from pdml.scenes.window import Window

Block = tuple[int, int]

MOST_BYTES = 192 * 2**20
"""What the blocks of one scene may take, unless a single block is larger."""

LEAST_PIXELS = 2**14
"""Smaller blocks are read several at once."""


@dataclass
class _Kept:
    """Blocks that were read last. They are left behind when a source is pickled."""

    blocks: OrderedDict[Block, Shaped[np.ndarray, "row col band"]] = field(
        default_factory=OrderedDict
    )
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __reduce__(self) -> tuple[type[_Kept], tuple[()]]:
        """Pickles to one without blocks."""
        return type(self), ()


@dataclass(frozen=True)
class BlockSource:
    """Reads another source by whole blocks and keeps the latest.

    Attributes:
        whole: The other source.
        block: Rows and columns of a block.
        n_kept: How many blocks are kept.
    """

    whole: CubeSource
    block: tuple[int, int]
    n_kept: int
    _kept: _Kept = field(default_factory=_Kept, repr=False, compare=False)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns, bands."""
        return self.whole.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the stored values."""
        return self.whole.dtype

    @property
    def held_bytes(self) -> int:
        """Most memory that the kept blocks take."""
        rows, cols = self.block
        return self.n_kept * rows * cols * self.shape[2] * self.dtype.itemsize

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """The values inside a window."""
        values = np.empty((*window.shape, self.shape[2]), dtype=self.dtype)
        for number, place in _blocks_of(window, self.block, self.shape[:2]):
            common = Window(
                max(place.row_start, window.row_start),
                min(place.row_stop, window.row_stop),
                max(place.col_start, window.col_start),
                min(place.col_stop, window.col_stop),
            )
            target, inside = _within(common, window), _within(common, place)
            values[target.slices] = self._block(number, place)[inside.slices]
        return values

    def _block(self, number: Block, place: Window) -> Shaped[np.ndarray, "row col band"]:
        kept = self._kept
        with kept.lock:  # the next tile is read in a thread
            if number in kept.blocks:
                kept.blocks.move_to_end(number)
                return kept.blocks[number]
            while len(kept.blocks) >= self.n_kept:
                kept.blocks.popitem(last=False)
            kept.blocks[number] = self.whole.read(place)
            return kept.blocks[number]


def by_blocks(whole: CubeSource, block: tuple[int, int]) -> CubeSource:
    """A source that is read by blocks, if it is stored in such of more than one row.

    Args:
        whole: The source.
        block: Rows and columns of a block as it is stored.
    """
    n_rows, n_cols, n_bands = whole.shape
    rows, cols = min(block[0], n_rows), min(block[1], n_cols)
    if rows == 1:
        return whole
    cols = min(cols * max(1, LEAST_PIXELS // (rows * cols)), n_cols)
    rows = min(rows * max(1, LEAST_PIXELS // (rows * cols)), n_rows)
    across = -(-n_cols // cols)
    fit = MOST_BYTES // (rows * cols * n_bands * whole.dtype.itemsize)
    # Two rows of blocks, so that a strip across their border finds both.
    return BlockSource(whole, (rows, cols), max(1, min(fit, 2 * across)))


def _blocks_of(
    window: Window, block: tuple[int, int], shape: tuple[int, int]
) -> Iterator[tuple[Block, Window]]:
    (height, width), (n_rows, n_cols) = block, shape
    for row in range(window.row_start // height, -(-window.row_stop // height)):
        for col in range(window.col_start // width, -(-window.col_stop // width)):
            top, left = row * height, col * width
            yield (
                (row, col),
                Window(top, min(top + height, n_rows), left, min(left + width, n_cols)),
            )


def _within(window: Window, place: Window) -> Window:
    """A window counted from the corner of another."""
    return Window(
        window.row_start - place.row_start,
        window.row_stop - place.row_start,
        window.col_start - place.col_start,
        window.col_stop - place.col_start,
    )
