"""Cutting a scene into tiles: what is predicted, and what must be read for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pdml.errors import InvalidInputError
from pdml.scenes.window import Window


@dataclass(frozen=True)
class Tile:
    """One unit of mapping.

    Attributes:
        target: The pixels that are predicted.
        source: The pixels that are read: the target with half a patch on each side, cut at the
            scene's border.
    """

    target: Window
    source: Window


def plan_tiles(
    scene_shape: tuple[int, int], *, patch_size: int, tile_pixels: int = 512
) -> list[Tile]:
    """Tiles that cover a scene without overlap, row by row.

    Args:
        scene_shape: Rows and columns.
        patch_size: Side of a patch; the halo is half of it.
        tile_pixels: Side of a tile; those at the right and lower border are smaller.

    Raises:
        InvalidInputError: If a tile would be empty.
    """
    if tile_pixels < 1:
        raise InvalidInputError(f"a tile needs at least 1 pixel per side, got {tile_pixels}")
    return [
        Tile(target, target.grown(patch_size // 2, within=scene_shape))
        for target in _windows(scene_shape, tile_pixels)
    ]


def _windows(scene_shape: tuple[int, int], side: int) -> Iterator[Window]:
    n_rows, n_cols = scene_shape
    for row in range(0, n_rows, side):
        for col in range(0, n_cols, side):
            yield Window(row, min(row + side, n_rows), col, min(col + side, n_cols))
