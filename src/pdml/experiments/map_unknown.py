"""Unknown pixels of a map: from which score on, and how many there are."""

from __future__ import annotations

import numpy as np

from pdml.evaluation.report_text import counted, percent
from pdml.experiments.map_options import MapOptions
from pdml.inference.bundle import Bundle
from pdml.inference.categories import Categories
from pdml.inference.layers import CLASSES, Layers, windows
from pdml.inference.unknown.detector import require_detector

ROWS_AT_ONCE = 64


def unknown_threshold(bundle: Bundle, options: MapOptions) -> float | None:
    """The score above which a pixel is shown as unknown; None if none is to be.

    Raises:
        InvalidInputError: If the model cannot have a threshold for the rate that is asked for.
    """
    if options.false_alarm is None:
        return None
    return require_detector(bundle.uncertainty.unknown).threshold(options.false_alarm)


def unknown_in_words(layers: Layers, categories: Categories, false_alarm: float) -> str:
    """How many pixels of a map are unknown."""
    n_measured = n_unknown = 0
    for window in windows(layers.shape, rows=ROWS_AT_ONCE, cols=layers.shape[1]):
        codes = layers.read(window)[CLASSES]
        n_measured += int(np.count_nonzero(codes))
        n_unknown += int(np.count_nonzero(codes == len(categories.class_names) + 2))
    return (
        f"unknown: {n_unknown} of {counted(n_measured, 'pixel')} "
        f"({percent(n_unknown / max(1, n_measured), digits=1)}); of those that are like the "
        f"validation pixels at most {percent(false_alarm, digits=1)} are expected"
    )
