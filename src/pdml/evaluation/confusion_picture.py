"""The confusion matrix as a heat map: shares as colours, counts as numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure

from pdml.evaluation.picture import DPI

CELL_INCHES = 0.36
SMALLEST_SIDE_INCHES = 2.4
BAR_INCHES = 0.12
MARGIN_INCHES = 0.15
MOST_CLASSES_WITH_COUNTS = 25
FADE = 0.45  # exponent that keeps a share of one per cent visible
DARK_SHARE = 0.35  # counts are white on cells darker than this


def confusion_picture(
    confusion: Int[np.ndarray, "truth predicted"], class_names: Sequence[str]
) -> Figure:
    """Draws a confusion matrix with one row per true class.

    Args:
        confusion: Counts of pixels.
        class_names: K names.
    """
    n_classes = len(class_names)
    side = max(SMALLEST_SIDE_INCHES, CELL_INCHES * n_classes)
    # a row without test pixels stays white
    share = confusion / np.maximum(confusion.sum(axis=1, keepdims=True), 1)
    figure = Figure(figsize=(side, side), dpi=DPI)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    drawn = axes.imshow(share, cmap="Blues", norm=PowerNorm(FADE, 0, 1), interpolation="nearest")
    _name_axes(axes, class_names)
    if n_classes <= MOST_CLASSES_WITH_COUNTS:
        _write_counts(axes, confusion, share)
    bar_axes = figure.add_axes((1 + 0.15 / side, 0, BAR_INCHES / side, 1))
    bar = figure.colorbar(drawn, cax=bar_axes, ticks=[0, 0.01, 0.05, 0.2, 0.5, 1])
    bar.ax.set_yticklabels(["0", "1 %", "5 %", "20 %", "50 %", "100 %"], fontsize=7)
    bar.set_label("share of the true class's test pixels", fontsize=8)
    _grow_to_fit(figure)
    return figure


def _name_axes(axes: Axes, class_names: Sequence[str]) -> None:
    places = np.arange(len(class_names))
    axes.set_xticks(places, class_names, rotation=90, fontsize=7.5)
    axes.set_yticks(places, class_names, fontsize=7.5)
    axes.set_xlabel("predicted class", fontsize=9)
    axes.set_ylabel("true class", fontsize=9)
    axes.tick_params(length=0)
    for edge in np.arange(len(class_names) + 1) - 0.5:
        axes.axhline(edge, color="#dddddd", linewidth=0.4)
        axes.axvline(edge, color="#dddddd", linewidth=0.4)


def _write_counts(
    axes: Axes,
    confusion: Int[np.ndarray, "truth predicted"],
    share: Float[np.ndarray, "truth predicted"],
) -> None:
    for row, col in zip(*np.nonzero(confusion), strict=True):
        count = int(confusion[row, col])
        axes.text(
            col,
            row,
            str(count),
            ha="center",
            va="center",
            fontsize=7 if count < 1000 else 6,
            color="white" if share[row, col] > DARK_SHARE else "#222222",
        )


def _grow_to_fit(figure: Figure) -> None:
    """Enlarges the figure by what its labels need, keeping the cells as they are."""
    old = np.array(figure.get_size_inches())
    box = figure.get_tightbbox()
    low = np.minimum(0, [box.x0, box.y0]) - MARGIN_INCHES
    new = np.maximum(old, [box.x1, box.y1]) + MARGIN_INCHES - low
    for axes in figure.axes:
        place = axes.get_position()
        left, bottom = (np.array([place.x0, place.y0]) * old - low) / new
        width, height = np.array([place.width, place.height]) * old / new
        axes.set_position((left, bottom, width, height))
    figure.set_size_inches(*new)
