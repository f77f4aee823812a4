"""Labels where a scene was not measured say nothing: they are left out."""

from __future__ import annotations

import numpy as np

from pdml.errors import InvalidInputError
from pdml.scenes.labels import LabelMap
from pdml.scenes.scene import Scene
from pdml.scenes.window import Window

TILE_PIXELS = 128


def measured_labels(labels: LabelMap, scene: Scene) -> LabelMap:
    """The labels of pixels that were measured, going by the scene's nodata value.

    Only the parts of the scene that hold labels are read.

    Raises:
        InvalidInputError: If no labelled pixel was measured.
    """
    if scene.nodata is None:
        return labels
    missing = np.zeros(labels.shape, dtype=bool)
    for row in range(0, scene.n_rows, TILE_PIXELS):
        for col in range(0, scene.n_cols, TILE_PIXELS):
            window = Window(
                row,
                min(row + TILE_PIXELS, scene.n_rows),
                col,
                min(col + TILE_PIXELS, scene.n_cols),
            )
            labelled = labels.codes[window.slices] > 0
            if labelled.any():
                missing[window.slices] = labelled & ~scene.measured(scene.read(window))
    n_missing, n_labelled = int(missing.sum()), len(labels.labelled)
    if not n_missing:
        return labels
    if n_missing == n_labelled:
        raise InvalidInputError(
            f"labels must lie where '{scene.name}' was measured, but all {n_labelled} labelled "
            f"pixels hold its nodata value {scene.nodata:g}; check that both belong together, "
            "or say --nodata VALUE"
        )
    return labels.unlabelled(
        missing,
        f"{n_missing} of {n_labelled} labelled pixels lie where the scene holds its nodata value "
        f"{scene.nodata:g} and are left out.",
    )
