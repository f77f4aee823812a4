"""Tiles leave no seams: the map is the same to the last bit however it is cut."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch

from pdml.embeddings.backbone import BACKBONES
from pdml.embeddings.model import Model, ModelSpec
from pdml.inference.bundle import Bundle, make_bundle
from pdml.inference.class_map import ClassMap
from pdml.inference.mapper import empty_map, map_scene, map_tiles
from pdml.inference.plan import Tile, plan_tiles
from pdml.patches.normalise import fit_standardiser
from pdml.patches.source import PatchSource
from pdml.scenes.scene import Scene
from pdml.scenes.window import Window

SHAPE = (24, 21)  # more pixels and spectra than a batch holds
N_BANDS = 30
TILE_SHAPES = [(5, 5), (16, 16), (24, 3), (2, 21), (11, 19)]


@cache
def scene_of() -> Scene:
    cube = np.random.default_rng(0).normal(3, 2, (*SHAPE, N_BANDS)).astype(np.float32)
    cube[3:6, 4:9] = -9999
    return Scene.from_array(cube, nodata=-9999)


@cache
def patch_size_of(backbone: str) -> int:
    """The smallest patch from 5 on whose map has a centre pixel."""
    built = BACKBONES.get(backbone)(n_bands=N_BANDS)
    return next(size for size in range(5, 15, 2) if built.output_size(size) % 2 == 1)


@cache
def bundle_of(backbone: str, border: str) -> Bundle:
    torch.manual_seed(0)
    size = patch_size_of(backbone)
    model = Model(ModelSpec(N_BANDS, 4, patch_size=size, backbone=backbone, classifier="map"))
    source = PatchSource(scene_of(), fit_standardiser(scene_of()), patch_size=size, border=border)
    with torch.no_grad():
        model(source.gather(torch.arange(50)))  # moves running statistics
    return make_bundle(model.eval(), source, ("a", "b", "c", "d"))


@cache
def in_one_piece(backbone: str, border: str) -> ClassMap:
    return map_scene(bundle_of(backbone, border), scene_of())


@pytest.mark.parametrize("backbone", BACKBONES.names())
@pytest.mark.parametrize("border", ["zero", "reflect"])
@pytest.mark.parametrize("tile_shape", TILE_SHAPES)
def test_tiled_equals_untiled_exactly(
    backbone: str, border: str, tile_shape: tuple[int, int]
) -> None:
    whole = in_one_piece(backbone, border)
    bundle = bundle_of(backbone, border)
    tiled = empty_map(bundle, SHAPE)
    assert tiled.embedding_variance is not None
    tiles = plan_tiles(SHAPE, halo=bundle.halo_pixels, tile_shape=tile_shape)
    for tile, part in map_tiles(bundle, scene_of(), tiles):
        place = tile.target.slices
        tiled.probability[place] = part.probability
        tiled.embedding_variance[place] = part.embedding_variance
        tiled.measured[place] = part.measured
        np.testing.assert_array_equal(part.entropy, whole.entropy[place])
    np.testing.assert_array_equal(tiled.probability, whole.probability)
    np.testing.assert_array_equal(tiled.embedding_variance, whole.embedding_variance)
    np.testing.assert_array_equal(tiled.measured, whole.measured)


@pytest.mark.parametrize("backbone", BACKBONES.names())
@pytest.mark.parametrize("precision", ["32", "bf16"])
def test_a_pixel_is_mapped_alike_alone_and_among_others(backbone: str, precision: str) -> None:
    bundle = bundle_of(backbone, "zero")
    together = map_scene(bundle, scene_of(), precision=precision)
    assert together.embedding_variance is not None
    halo = patch_size_of(backbone) // 2
    (n_rows, n_cols), beyond = SHAPE, halo + 1
    alone = [Tile(Window(row, row + 1, col, col + 1),
                  Window(max(0, row - halo), min(n_rows, row + beyond),
                         max(0, col - halo), min(n_cols, col + beyond)))
             for row, col in ((0, 0), (10, 11), (21, 18))]  # fmt: skip
    for tile, part in map_tiles(bundle, scene_of(), alone, precision=precision):
        place = tile.target.slices
        np.testing.assert_array_equal(part.probability, together.probability[place])
        assert part.embedding_variance == together.embedding_variance[place]


@pytest.mark.parametrize("embedding_size", [6, 64])
@pytest.mark.parametrize("n_kernels", [4, 24])
def test_narrow_layers_leave_no_seams_either(n_kernels: int, embedding_size: int) -> None:
    """Products of few columns sum in an order that depends on the row of the batch."""
    torch.manual_seed(0)
    spec = ModelSpec(
        20,
        9,
        patch_size=3,
        backbone_options={"n_kernels": n_kernels, "n_spectral_features": 8},
        embedding_size=embedding_size,
    )
    scene = Scene.from_array(np.random.default_rng(1).normal(size=(*SHAPE, 20)))
    source = PatchSource(scene, fit_standardiser(scene), patch_size=3)
    bundle = make_bundle(Model(spec).eval(), source, [str(k) for k in range(9)])
    whole = map_scene(bundle, scene)
    for tile_pixels in (5, 7, 16):
        tiled = map_scene(bundle, scene, tile_pixels=tile_pixels)
        np.testing.assert_array_equal(tiled.probability, whole.probability)
