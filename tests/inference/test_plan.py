"""Tiles cover a scene once, and their sources hold every patch."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.inference.plan import plan_tiles


@pytest.mark.parametrize("tile_pixels", [1, 3, 4, 10, 100])
def test_every_pixel_is_predicted_once(tile_pixels: int) -> None:
    visits = np.zeros((10, 7), dtype=int)
    for tile in plan_tiles((10, 7), patch_size=5, tile_shape=(tile_pixels, tile_pixels)):
        visits[tile.target.slices] += 1
    assert (visits == 1).all()


@pytest.mark.parametrize("tile_pixels", [1, 3, 8])
def test_a_source_is_the_target_and_half_a_patch_around_it(tile_pixels: int) -> None:
    for tile in plan_tiles((10, 7), patch_size=5, tile_shape=(tile_pixels, tile_pixels)):
        target, source = tile.target, tile.source
        assert source.row_start == max(0, target.row_start - 2)
        assert source.row_stop == min(10, target.row_stop + 2)
        assert source.col_start == max(0, target.col_start - 2)
        assert source.col_stop == min(7, target.col_stop + 2)


def test_an_empty_tile_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="a tile needs at least 1 pixel per side, got 0"):
        plan_tiles((10, 7), patch_size=5, tile_shape=(0, 512))
