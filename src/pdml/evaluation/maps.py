"""Pictures of a scene: what it looks like, what is known, what the model says, how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Int
from matplotlib.figure import Figure

from pdml.errors import InvalidInputError
from pdml.evaluation.colours import NOT_MEASURED, UNLABELLED, class_colours, rgb
from pdml.evaluation.draw import draw_panels
from pdml.evaluation.false_colour import false_colour
from pdml.evaluation.legend import LegendEntry
from pdml.evaluation.panel import ColourScale, Panel
from pdml.inference.categories import REJECTED, REJECTED_COLOUR
from pdml.inference.class_map import ClassMap
from pdml.scenes.labels import LabelMap
from pdml.scenes.scene import Scene

PROBABILITY = ColourScale("probability of the shown class", "viridis", 0, 1)
ENTROPY = ColourScale("entropy, 0 sure \N{EN DASH} 1 undecided", "magma", 0, 1)
VARIANCE_LABEL = "mean variance of the embedding"
VARIANCE_PERCENT = (2.0, 98.0)  # a few extreme pixels must not flatten all others


def false_colour_picture(
    scene: Scene, *, customary_bands: tuple[int, int, int] | None = None
) -> Figure:
    """The scene in three bands."""
    return draw_panels([Panel("false colour", false_colour(scene, customary_bands))])


def ground_truth_picture(labels: LabelMap) -> Figure:
    """The labels of the scene, white where there are none."""
    return draw_panels([_ground_truth(labels)], _entries(labels))


def class_map_picture(class_map: ClassMap) -> Figure:
    """The most probable class of every pixel."""
    return draw_panels([_class_panel(class_map)], _entries(class_map))


def probability_picture(class_map: ClassMap) -> Figure:
    """The probability of the most probable class of every pixel."""
    values = _where_measured(class_map.top_probability, class_map.measured)
    return draw_panels([Panel("top probability", values, PROBABILITY)])


def entropy_picture(class_map: ClassMap) -> Figure:
    """How undecided the model is between all classes."""
    return draw_panels([_entropy_panel(class_map)])


def variance_picture(class_map: ClassMap) -> Figure:
    """The variance of every pixel's embedding.

    Raises:
        InvalidInputError: If the model has point embeddings.
    """
    if class_map.embedding_variance is None:
        raise InvalidInputError(
            "a variance picture needs an embedding with a variance, got a point embedding; "
            "show the entropy instead, or train with head = 'gaussian'"
        )
    values = _where_measured(class_map.embedding_variance, class_map.measured)
    shown = values[np.isfinite(values)]
    low, high = np.percentile(shown, VARIANCE_PERCENT) if shown.size else (0.0, 1.0)
    if high <= low:
        high = low + max(1e-12, abs(low))
    scale = ColourScale(VARIANCE_LABEL, "magma", float(low), float(high), "both")
    return draw_panels([Panel("embedding variance", values, scale)])


def overview_picture(
    scene: Scene,
    class_map: ClassMap,
    *,
    labels: LabelMap | None = None,
    customary_bands: tuple[int, int, int] | None = None,
) -> Figure:
    """The scene, its labels where there are any, the class map and, where known, its uncertainty.

    Args:
        scene: The scene.
        class_map: What the model says about it.
        labels: What is known about it.
        customary_bands: Bands to show when wavelengths are not known.

    Raises:
        InvalidInputError: If these do not have the same rows, columns and classes.
    """
    if class_map.shape != scene.shape[:2]:
        raise InvalidInputError(
            f"scene and class map must have one size: the scene is {scene.n_rows} x "
            f"{scene.n_cols} pixels, the map is {class_map.shape[0]} x {class_map.shape[1]}; "
            "map this scene first"
        )
    panels = [Panel("false colour", false_colour(scene, customary_bands))]
    entries = _entries(class_map)
    if labels is not None:
        labels.require_shape(scene.shape[:2])
        _require_classes(labels, class_map)
        colours = labels.colours or class_map.colours
        labels, class_map = replace(labels, colours=colours), replace(class_map, colours=colours)
        panels.append(_ground_truth(labels))
        entries = _entries(labels, class_map)
    panels.append(_class_panel(class_map))
    if class_map.has_probability:
        panels.append(_entropy_panel(class_map))
    return draw_panels(panels, entries)


def _require_classes(labels: LabelMap, class_map: ClassMap) -> None:
    if labels.class_names != class_map.class_names:
        raise InvalidInputError(
            "labels and class map must have the same classes in one order: the labels have "
            f"{', '.join(labels.class_names)}; the map has {', '.join(class_map.class_names)}; "
            "give the labels the names that the model was trained with"
        )


def _ground_truth(labels: LabelMap) -> Panel:
    palette = rgb([UNLABELLED, *class_colours(labels.n_classes, labels.colours)])
    return Panel("ground truth", palette[labels.codes])


def _class_panel(class_map: ClassMap) -> Panel:
    colours = class_colours(len(class_map.class_names), class_map.colours)
    codes: Int[np.ndarray, "row col"] = class_map.codes
    return Panel("class map", rgb([NOT_MEASURED, *colours, REJECTED_COLOUR])[codes])


def _entropy_panel(class_map: ClassMap) -> Panel:
    values = _where_measured(class_map.entropy, class_map.measured)
    return Panel("uncertainty", values, ENTROPY)


def _where_measured(
    values: Float[np.ndarray, "row col"], measured: Bool[np.ndarray, "row col"]
) -> Float[np.ndarray, "row col"]:
    return np.where(measured, values, np.nan)


def _entries(*shown: LabelMap | ClassMap) -> Sequence[LegendEntry]:
    """One line per class, and one for each kind of pixel without a class that is there."""
    names = shown[0].class_names
    colours = class_colours(len(names), shown[0].colours)
    entries = [LegendEntry(*pair) for pair in zip(names, colours, strict=True)]
    if any(isinstance(one, LabelMap) and (one.codes == 0).any() for one in shown):
        entries.append(LegendEntry("unlabelled", UNLABELLED))
    if any(isinstance(one, ClassMap) and not one.measured.all() for one in shown):
        entries.append(LegendEntry("not measured", NOT_MEASURED))
    if any(isinstance(one, ClassMap) and one.rejected.any() for one in shown):
        entries.append(LegendEntry(REJECTED, REJECTED_COLOUR))
    return entries
