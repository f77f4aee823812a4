"""Every n-th pixel of a scene, in the three bands of a picture."""

from __future__ import annotations

import math

import numpy as np

from pdml.evaluation.false_colour import colour_bands
from pdml.scenes.row_blocks import row_blocks
from pdml.scenes.scene import Scene

RGB = (0, 1, 2)


def thinned(
    scene: Scene, step: int, *, customary_bands: tuple[int, int, int] | None = None
) -> tuple[Scene, tuple[int, int, int]]:
    """A small scene that looks like a large one, and its bands for a picture.

    Args:
        scene: The scene; read in blocks of rows.
        step: Every how many rows and columns a pixel is taken.
        customary_bands: The dataset's own choice of bands.
    """
    bands = list(colour_bands(scene, customary_bands))
    shape = math.ceil(scene.n_rows / step), math.ceil(scene.n_cols / step), len(bands)
    picture = np.full(shape, np.nan, dtype=np.float32)
    for window in row_blocks(scene):
        first = -(-window.row_start // step)
        cube = scene.read(window)[first * step - window.row_start :: step, ::step]
        values = np.where(scene.measured(cube)[..., None], cube[..., bands], np.nan)
        picture[first : first + len(cube)] = values
    return Scene.from_array(picture, name=scene.name, nodata=math.nan), RGB
