"""AUROC of detectors side by side: a row per class, a mark per detector, a panel per network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pdml.evaluation.picture import DPI

PANEL_INCHES = 3.6
NAMES_INCHES = 1.6
ROW_INCHES = 0.24
HEAD_INCHES = 1.25
FEWEST_ROWS = 4
SMALL = 7.5
MARKS = "sv^o"
COLOURS = ("#996600", "#4d8099", "#e6b34d", "#333380")  # of the ten, the last the most distinct
MEAN = "mean"
GUESSING = 0.5

Scores = Mapping[str, Mapping[str, float]]
"""AUROC by the name of the detector and that of the class."""


def detectors_picture(panels: Mapping[str, Scores], *, caption: str = "") -> Figure:
    """Draws AUROC by class, their means below, and where guessing would be.

    Args:
        panels: Scores by the name of the network.
        caption: What stands above.
    """
    classes = list(
        dict.fromkeys(name for scores in panels.values() for one in scores.values() for name in one)
    )
    rows = [*classes, MEAN]
    height = HEAD_INCHES + ROW_INCHES * max(len(rows), FEWEST_ROWS)
    width = NAMES_INCHES + PANEL_INCHES * len(panels)
    figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    all_axes = figure.subplots(1, len(panels), sharey=True, sharex=True, squeeze=False)[0]
    for axes, (title, scores) in zip(all_axes, panels.items(), strict=True):
        for number, (name, by_class) in enumerate(scores.items()):
            x, y = _points(by_class, rows)
            colour = COLOURS[number]
            axes.plot(x, y, MARKS[number], color=colour, markersize=4.5, label=name)
        axes.axvline(GUESSING, color="#999999", linewidth=0.8, linestyle=":")
        axes.axhline(len(classes) - 0.5, color="#cccccc", linewidth=0.8)
        axes.set_title(title, fontsize=SMALL + 1)
        axes.set_xlabel("AUROC, unknown against known", fontsize=SMALL + 0.5)
        axes.tick_params(labelsize=SMALL)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="x", color="#e6e6e6", linewidth=0.6)
        axes.set_axisbelow(True)
    all_axes[0].set_yticks(range(len(rows)), rows)
    all_axes[0].set_ylim(len(rows) - 0.5, -0.5)
    if caption:
        figure.suptitle(caption, fontsize=SMALL + 1, wrap=True)
    handles, labels = all_axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=len(labels), frameon=False,
        fontsize=SMALL,
    )  # fmt: skip
    return figure


def _points(by_class: Mapping[str, float], rows: Sequence[str]) -> tuple[list[float], list[int]]:
    found = {name: value for name, value in by_class.items() if name in rows}
    x = [*found.values()]
    y = [rows.index(name) for name in found]
    if x:
        x, y = [*x, sum(x) / len(x)], [*y, len(rows) - 1]
    return x, y
