"""Class maps of several methods side by side with the scene and its labels, and one legend."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Int
from matplotlib.figure import Figure

from pdml.errors import InvalidInputError
from pdml.evaluation.colours import NOT_MEASURED, UNLABELLED, class_colours, rgb
from pdml.evaluation.draw import draw_panels
from pdml.evaluation.false_colour import false_colour
from pdml.evaluation.legend import LegendEntry
from pdml.evaluation.panel import Panel
from pdml.scenes.labels import LabelMap
from pdml.scenes.scene import Scene


def compared_maps_picture(
    scene: Scene,
    labels: LabelMap,
    maps: Mapping[str, Int[np.ndarray, "row col"]],
    *,
    customary_bands: tuple[int, int, int] | None = None,
) -> Figure:
    """Draws the scene, its labels and the maps.

    Args:
        scene: The scene.
        labels: What is known about it.
        maps: Classes 1 to K of all pixels, 0 where nothing was measured, by the title of the panel.
        customary_bands: Bands to show when wavelengths are not known.

    Raises:
        InvalidInputError: If a map is not of the scene's size.
    """
    colours = class_colours(labels.n_classes, labels.colours)
    entries = [LegendEntry(*pair) for pair in zip(labels.class_names, colours, strict=True)]
    panels = [
        Panel("false colour", false_colour(scene, customary_bands)),
        Panel("ground truth", rgb([UNLABELLED, *colours])[labels.codes]),
    ]
    if (labels.codes == 0).any():
        entries.append(LegendEntry("unlabelled", UNLABELLED))
    for title, classes in maps.items():
        if classes.shape != scene.shape[:2]:
            raise InvalidInputError(
                f"maps must have the scene's size: the scene is {scene.n_rows} x {scene.n_cols} "
                f"pixels, the map '{title}' is {classes.shape[0]} x {classes.shape[1]}; map this "
                "scene"
            )
        panels.append(Panel(title, rgb([NOT_MEASURED, *colours])[classes]))
    if any((classes == 0).any() for classes in maps.values()):
        entries.append(LegendEntry("not measured", NOT_MEASURED))
    return draw_panels(panels, entries)
