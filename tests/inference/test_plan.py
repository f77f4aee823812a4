"""Tiles cover a scene once, and their sources hold every patch."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.embeddings.model import Model, ModelSpec
from pdml.errors import InvalidInputError
from pdml.inference.footprint import footprint_of
from pdml.inference.plan import (
    ALIGNMENT,
    MOST_TILE_PIXELS,
    PROCESS_BYTES,
    Footprint,
    choose_tile_shape,
    plan_tiles,
)


@pytest.mark.parametrize("tile_pixels", [1, 3, 4, 10, 100])
def test_every_pixel_is_predicted_once(tile_pixels: int) -> None:
    visits = np.zeros((10, 7), dtype=int)
    for tile in plan_tiles((10, 7), halo=2, tile_shape=(tile_pixels, tile_pixels)):
        visits[tile.target.slices] += 1
    assert (visits == 1).all()


@pytest.mark.parametrize("tile_pixels", [1, 3, 8])
def test_a_source_is_the_target_and_half_a_patch_around_it(tile_pixels: int) -> None:
    for tile in plan_tiles((10, 7), halo=2, tile_shape=(tile_pixels, tile_pixels)):
        target, source = tile.target, tile.source
        assert source.row_start == max(0, target.row_start - 2)
        assert source.row_stop == min(10, target.row_stop + 2)
        assert source.col_start == max(0, target.col_start - 2)
        assert source.col_stop == min(7, target.col_stop + 2)


def test_an_empty_tile_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="a tile needs at least 1 pixel per side, got 0"):
        plan_tiles((10, 7), halo=2, tile_shape=(0, 512))


FOOTPRINT = Footprint(n_bands=200, n_features=128, n_classes=16, batch_bytes=100 * 10**6)


def test_a_pixel_takes_what_its_arrays_take() -> None:
    spectra = 2 * 200 * 4  # this tile's and the next one's, float32
    features = 128 * 4
    probabilities = 6 * 16 * 4
    assert FOOTPRINT.pixel_bytes == spectra + features + probabilities + 128


def test_a_tile_counts_with_its_halo() -> None:
    assert FOOTPRINT.tile_bytes((10, 20), halo=2) == FOOTPRINT.pixel_bytes * 14 * 24


@pytest.mark.parametrize("halo", [0, 2, 4, 20])
@pytest.mark.parametrize("scene_shape", [(20000, 2000), (2000, 20000), (300, 100_000), (90, 70)])
@pytest.mark.parametrize("gigabytes", [0.7, 1, 2, 16])
def test_process_and_tile_stay_below_the_limit(
    scene_shape: tuple[int, int], gigabytes: float, halo: int
) -> None:
    limit = int(gigabytes * 10**9)
    shape = choose_tile_shape(scene_shape, FOOTPRINT, halo=halo, memory_bytes=limit)
    taken = FOOTPRINT.tile_bytes(shape, halo=halo)
    assert PROCESS_BYTES + FOOTPRINT.batch_bytes + taken <= limit
    assert all(
        side % ALIGNMENT == 0 or side == whole
        for side, whole in zip(shape, scene_shape, strict=True)
    )
    # Some two thirds of the room are used, or as much as is useful, or the scene is in one tile.
    most = min(limit - PROCESS_BYTES - FOOTPRINT.batch_bytes,
               MOST_TILE_PIXELS * FOOTPRINT.pixel_bytes)  # fmt: skip
    assert taken > 0.6 * most or shape == scene_shape


def test_tiles_span_full_rows_where_enough_of_them_fit() -> None:
    shape = choose_tile_shape((20000, 2000), FOOTPRINT, halo=2, memory_bytes=2 * 10**9)
    # 2**18 pixels with the halo: 262144 // 2004 - 4 = 126 rows, in whole blocks of 16
    assert shape == (112, 2000)
    shape = choose_tile_shape((2000, 20000), FOOTPRINT, halo=2, memory_bytes=2 * 10**9)
    # 512 less the halo in whole blocks, then 262144 // 500 - 4 = 520
    assert shape == (496, 512)


def test_a_small_scene_is_one_tile() -> None:
    shape = choose_tile_shape((145, 145), FOOTPRINT, halo=2, memory_bytes=2 * 10**9)
    assert shape == (145, 145)


def test_too_little_memory_is_refused_with_what_is_needed() -> None:
    with pytest.raises(InvalidInputError) as refusal:
        choose_tile_shape((145, 145), FOOTPRINT, halo=2, memory_bytes=600 * 10**6)
    # 500 MB for the process, 100 MB for a batch, 400 pixels of 2624 bytes, rounded up
    assert str(refusal.value) == (
        "mapping with this model needs at least 700 MB of memory, got 600 MB; say --memory 700MB "
        "or more"
    )


def test_the_footprint_of_a_model_is_that_of_its_layers() -> None:
    spec = ModelSpec(20, 3, patch_size=5, backbone_options={"n_kernels": 4,
                     "n_spectral_features": 8}, embedding_size=6)  # fmt: skip
    found = footprint_of(Model(spec))
    # The largest of all layers: 7 band positions of 4 kernels, 512 spectra at once; in the plane
    # 8 spectral features in 25 positions, 256 patches at once; float32, six of them at a time.
    largest = max(512 * 7 * 4, 256 * 25 * 8)
    assert found == Footprint(20, 8, 3, batch_bytes=6 * 4 * largest)
