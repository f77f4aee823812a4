"""Cutting a scene into tiles: what is predicted, what must be read for it, what it takes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pdml.errors import InvalidInputError
from pdml.inference.memory import in_words
from pdml.scenes.window import Window

PROCESS_BYTES = 500 * 10**6
"""Python, PyTorch and their libraries, a strip that is being read, freed memory that is kept."""

MOST_TILE_PIXELS = 2**18
"""Larger tiles are no faster, and an interruption costs more."""

ALIGNMENT = 16
"""Sides of tiles are multiples of this: files are stored in blocks that are so, too."""

FLATTEST_ROWS = 64
"""Tiles over full rows are read fastest; with fewer rows than these the halo costs more."""


@dataclass(frozen=True)
class Tile:
    """One unit of mapping.

    Attributes:
        target: The pixels that are predicted.
        source: The pixels that are read: the target with the halo on each side, cut at the scene's
            border.
    """

    target: Window
    source: Window


@dataclass(frozen=True)
class Footprint:
    """What a pixel of a tile takes while it is mapped.

    Attributes:
        n_bands: Values of a pixel that the network sees.
        n_features: Features of a spectrum between the two stages of the network.
        n_classes: Classes.
        batch_bytes: What the network holds while it computes one batch.
        n_heard: Values of a pixel that are kept until it has listened to its surroundings.
    """

    n_bands: int
    n_features: int
    n_classes: int
    batch_bytes: int = 0
    n_heard: int = 0

    @property
    def pixel_bytes(self) -> int:
        """Bytes per pixel of a tile.

        Standardised spectra of this tile and of the next, which is read meanwhile; features;
        probabilities with what the entropy is computed from; indices and what is stored.
        """
        values = 2 * self.n_bands + self.n_features + 6 * self.n_classes + self.n_heard
        return 4 * values + 128

    def tile_bytes(self, tile_shape: tuple[int, int], *, halo: int) -> int:
        """Bytes of a tile with its halo."""
        return self.pixel_bytes * (tile_shape[0] + 2 * halo) * (tile_shape[1] + 2 * halo)


def choose_tile_shape(
    scene_shape: tuple[int, int], footprint: Footprint, *, halo: int, memory_bytes: int
) -> tuple[int, int]:
    """Rows and columns of the largest tile that leaves the process below a limit.

    Full rows where enough of them fit, otherwise about a square.

    Args:
        scene_shape: Rows and columns of the scene.
        footprint: What a pixel takes.
        halo: Rows and columns that are read beyond a tile on each side.
        memory_bytes: The limit for the whole process.

    Raises:
        InvalidInputError: If not even the smallest tile fits; what is needed is in the message.
    """
    fixed = PROCESS_BYTES + footprint.batch_bytes
    smallest = fixed + footprint.tile_bytes((ALIGNMENT, ALIGNMENT), halo=halo)
    if memory_bytes < smallest:
        needed = 100 * 10**6 * math.ceil(smallest / (100 * 10**6))
        raise InvalidInputError(
            f"mapping with this model needs at least {in_words(needed)} of memory, got "
            f"{in_words(memory_bytes)}; say --memory {needed // 10**6}MB or more"
        )
    n_pixels = min(MOST_TILE_PIXELS, (memory_bytes - fixed) // footprint.pixel_bytes)
    both = 2 * halo
    n_rows, n_cols = scene_shape
    full_rows = n_pixels // (n_cols + both) - both
    if full_rows >= min(FLATTEST_ROWS, n_rows):
        return (n_rows if full_rows >= n_rows else _aligned(full_rows)), n_cols
    rows = min(_aligned(math.isqrt(n_pixels) - both), n_rows)
    return rows, min(_aligned(n_pixels // (rows + both) - both), n_cols)


def plan_tiles(
    scene_shape: tuple[int, int], *, halo: int, tile_shape: tuple[int, int] = (512, 512)
) -> list[Tile]:
    """Tiles that cover a scene without overlap, row by row.

    Args:
        scene_shape: Rows and columns.
        halo: Rows and columns beyond a tile that have a say in it: half a patch, and as far as the
            surroundings reach.
        tile_shape: Rows and columns of a tile; those at the right and lower border are smaller.

    Raises:
        InvalidInputError: If a tile would be empty.
    """
    if min(tile_shape) < 1:
        raise InvalidInputError(
            f"a tile needs at least 1 pixel per side, got {min(tile_shape)}; leave out "
            "--tile-pixels, and the size follows from --memory"
        )
    n_rows, n_cols = scene_shape
    targets = (
        Window(row, min(row + tile_shape[0], n_rows), col, min(col + tile_shape[1], n_cols))
        for row in range(0, n_rows, tile_shape[0])
        for col in range(0, n_cols, tile_shape[1])
    )
    return [Tile(target, target.grown(halo, within=scene_shape)) for target in targets]


def _aligned(n: int) -> int:
    return max(ALIGNMENT, n // ALIGNMENT * ALIGNMENT)
