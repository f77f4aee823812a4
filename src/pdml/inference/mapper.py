"""`map_scene`: a model and a scene become a class map, tile by tile."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from pdml.embeddings.model import require_bands
from pdml.embeddings.predict import predict_pixels
from pdml.inference.bundle import Bundle
from pdml.inference.class_map import ClassMap
from pdml.inference.plan import plan_tiles
from pdml.patches.source import PatchSource, require_patch_size
from pdml.scenes.crop import crop
from pdml.scenes.scene import Scene


def map_scene(
    bundle: Bundle,
    scene: Scene,
    *,
    tile_pixels: int = 512,
    device: torch.device | str = "cpu",
    precision: str = "32",
    on_tile: Callable[[int, int], None] | None = None,
) -> ClassMap:
    """Classifies every measured pixel of a scene.

    Memory beyond the result grows with the tile, not with the scene.

    Args:
        bundle: The model.
        scene: A scene with the bands that the model was trained on.
        tile_pixels: Side of a tile.
        device: Where the network runs.
        precision: `"32"` or `"bf16"`.
        on_tile: Called after each tile with the pixels that are done and those of the scene.

    Raises:
        InvalidInputError: If the scene has other bands than the model, or is smaller than a patch.
    """
    require_bands(bundle.model, scene.n_bands)
    model = bundle.model.to(device)
    shape = scene.shape[:2]
    probability = np.zeros((*shape, len(bundle.class_names)), dtype=np.float32)
    variance = np.zeros(shape, dtype=np.float32) if model.spec.head == "gaussian" else None
    measured = np.ones(shape, dtype=bool)
    n_done = 0
    patch_size = model.spec.patch_size
    require_patch_size(patch_size, shape)
    for tile in plan_tiles(shape, patch_size=patch_size, tile_pixels=tile_pixels):
        source = PatchSource(
            crop(scene, tile.source),
            bundle.standardiser,
            patch_size=patch_size,
            border=bundle.border,
            device=device,
            whole_shape=shape,
        )
        rows, cols = np.mgrid[tile.target.slices]
        rows -= tile.source.row_start
        cols -= tile.source.col_start
        inside = source.measured[rows, cols]
        measured[tile.target.slices] = inside
        n_done += inside.size
        if inside.any():
            indices = (rows * tile.source.shape[1] + cols)[inside]
            prediction = predict_pixels(
                model, source, torch.from_numpy(indices).to(device), precision=precision
            )
            probability[tile.target.slices][inside] = prediction.probability.cpu().numpy()
            if variance is not None and prediction.variance is not None:
                variance[tile.target.slices][inside] = prediction.variance.cpu().numpy()
        if on_tile:
            on_tile(n_done, measured.size)
    return ClassMap(probability, variance, measured, bundle.class_names, bundle.colours)
