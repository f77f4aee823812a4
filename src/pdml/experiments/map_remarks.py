"""What is odd about a scene that is to be mapped: said before, because a map looks right anyway."""

from __future__ import annotations

import numpy as np

from pdml.inference.bundle import Bundle
from pdml.patches.normalise import Standardiser
from pdml.scenes.scene import Scene
from pdml.scenes.window import Window

MOST_TIMES = 30.0
"""Scenes of one sensor differ in brightness by less, units by more: 100 for percent, 10 000 for
reflectance as whole numbers."""

SAMPLED_ROWS = 5


def map_remarks(bundle: Bundle, scene: Scene) -> list[str]:
    """What a user should know of a scene with the right bands, one sentence each."""
    said = [] if bundle.expected is None else bundle.expected.remarks(scene)
    if bundle.features is not None:  # what is known of values is known of channels
        return said
    times = times_brighter(scene, bundle.standardiser)
    if times is None or 1 / MOST_TIMES < times < MOST_TIMES:
        return said
    how = f"{times:.0f} times" if times > 1 else f"1/{1 / times:.0f} of"
    return [
        *said,
        f"The values of {scene.name} are about {how} those that the model was trained on: the map "
        "is right only if both are in the same unit.",
    ]


def times_brighter(scene: Scene, standardiser: Standardiser) -> float | None:
    """How many times larger the values of a scene are than those that were learnt from.

    Args:
        scene: A scene; a few rows are read.
        standardiser: Knows mean and spread of each band that was learnt from.

    Returns:
        The quotient of root mean squares, its median over bands; None if nothing was measured in
        these rows or most of it is 0.
    """
    rows = np.unique(np.linspace(0, scene.n_rows - 1, SAMPLED_ROWS, dtype=int))
    spectra = []
    for row in rows.tolist():
        cube = scene.read(Window(row, row + 1, 0, scene.n_cols))
        spectra.append(cube[scene.measured(cube)])
    values = np.concatenate(spectra).astype(np.float64)
    if not len(values):
        return None
    learnt = np.sqrt(standardiser.mean**2 + standardiser.scale**2)
    ratio = float(np.median(np.sqrt((values**2).mean(axis=0)) / learnt))
    return ratio if ratio > 0 and np.isfinite(ratio) else None
