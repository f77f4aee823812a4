"""OA, AA and kappa side by side: dots of variants, groups of them, or lines over an axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from pdml.evaluation.colours import FIRST_TEN
from pdml.evaluation.picture import DPI

SCORES = {
    "oa": "OA (%)",
    "aa": "AA (%)",
    "kappa": "\N{GREEK SMALL LETTER KAPPA} \N{MULTIPLICATION SIGN} 100",
}
PANEL_INCHES = 2.5
ROW_INCHES = 0.3
GROUPED_ROW_INCHES = 0.14
HEAD_INCHES = 0.75
FEWEST_ROWS = 4
SMALL = 7.5
QUOTED_COLOUR = "#801a1a"


@dataclass(frozen=True)
class ScoredPoint:
    """Scores of one variant in per cent.

    Attributes:
        name: What stands beside or below it.
        ours: Scores of each run by the name of the score.
        quoted: Published mean and standard deviation by the name of the score.
        series: The line that it belongs to.
    """

    name: str
    ours: Mapping[str, Sequence[float]] = field(default_factory=dict)
    quoted: Mapping[str, tuple[float, float | None]] = field(default_factory=dict)
    series: str = ""


def dots_picture(points: Sequence[ScoredPoint], *, caption: str = "") -> Figure:
    """One row per variant, one panel per score: runs as small dots, their mean with its spread."""
    height = HEAD_INCHES + ROW_INCHES * max(len(points), FEWEST_ROWS)
    figure, panels = _panels(height, caption, sharey=True)
    shift = 0.14 if any(point.quoted for point in points) else 0.0
    for axes, (score, label) in zip(panels, SCORES.items(), strict=True):
        for row, point in enumerate(points):
            runs = np.asarray(point.ours.get(score, ()), dtype=float)
            if runs.size:
                axes.plot(runs, np.full(runs.size, row - shift), ".", color="#9db7dd", markersize=4)
                axes.errorbar(
                    runs.mean(), row - shift, xerr=_spread(runs), fmt="o", markersize=4.5,
                    color=FIRST_TEN[0], capsize=2, linewidth=1,
                )  # fmt: skip
            if score in point.quoted:
                mean, std = point.quoted[score]
                axes.errorbar(
                    mean, row + shift, xerr=std, fmt="D", markersize=4, capsize=2, linewidth=1,
                    color=QUOTED_COLOUR, markerfacecolor="white",
                )  # fmt: skip
        axes.set_xlabel(label, fontsize=SMALL + 0.5)
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.grid(axis="x", color="#e6e6e6", linewidth=0.6)
        axes.set_axisbelow(True)
    panels[0].set_yticks(range(len(points)), [point.name for point in points])
    panels[0].set_ylim(len(points) - 0.5, -0.5)
    _legend(figure, points, {})
    return figure


def groups_picture(points: Sequence[ScoredPoint], *, caption: str = "") -> Figure:
    """One band of rows per name, in it one row per series: runs as small dots, means with spreads.

    For things that have no order, so that no line joins them. Names without a run are left out.
    """
    points = [point for point in points if any(point.ours.values())]
    names = list(dict.fromkeys(point.name for point in points))
    series = list(dict.fromkeys(point.series for point in points))
    colours = dict(zip(series, FIRST_TEN, strict=False))
    rows_of_group = len(series) + 1
    n_rows = rows_of_group * len(names)
    figure, panels = _panels(HEAD_INCHES + GROUPED_ROW_INCHES * n_rows, caption, sharey=True)
    for axes, (score, label) in zip(panels, SCORES.items(), strict=True):
        for point in points:
            row = rows_of_group * names.index(point.name) + series.index(point.series)
            runs = np.asarray(point.ours.get(score, ()), dtype=float)
            if runs.size:
                colour = colours[point.series]
                axes.plot(runs, np.full(runs.size, row), ".", color=colour, markersize=3, alpha=0.5)
                axes.errorbar(
                    runs.mean(), row, xerr=_spread(runs), fmt="o", markersize=4.5, color=colour,
                    capsize=2, linewidth=1,
                )  # fmt: skip
        for border in range(1, len(names)):
            axes.axhline(rows_of_group * border - 1, color="#cccccc", linewidth=0.6)
        axes.set_xlabel(label, fontsize=SMALL + 0.5)
        axes.grid(axis="x", color="#e6e6e6", linewidth=0.6)
        axes.set_axisbelow(True)
    middles = [rows_of_group * number + (len(series) - 1) / 2 for number in range(len(names))]
    panels[0].set_yticks(middles, names)
    panels[0].set_ylim(n_rows - 1, -1)
    _legend(figure, points, colours)
    return figure


def lines_picture(points: Sequence[ScoredPoint], *, axis: str, caption: str = "") -> Figure:
    """One line per series over the names of its points, one panel per score."""
    figure, panels = _panels(2.9, caption, sharey=False)
    places = list(dict.fromkeys(point.name for point in points))
    series = list(dict.fromkeys(point.series for point in points))
    colours = dict(zip(series, FIRST_TEN, strict=False))
    for axes, (score, label) in zip(panels, SCORES.items(), strict=True):
        for number, line in enumerate(series):
            of_line = [point for point in points if point.series == line]
            shift = 0.08 * (number - (len(series) - 1) / 2)
            _draw_line(axes, of_line, score, places, shift=shift, colour=colours[line])
        axes.set_xticks(range(len(places)), places)
        axes.set_xlim(-0.5, len(places) - 0.5)
        axes.set_ylabel(label, fontsize=SMALL + 0.5)
        axes.grid(axis="y", color="#e6e6e6", linewidth=0.6)
        axes.set_axisbelow(True)
    panels[1].set_xlabel(axis, fontsize=SMALL + 0.5)
    _legend(figure, points, colours)
    return figure


def _draw_line(
    axes: Axes,
    points: Sequence[ScoredPoint],
    score: str,
    places: Sequence[str],
    *,
    shift: float,
    colour: str,
) -> None:
    found = [
        (places.index(point.name) + shift, np.asarray(point.ours[score], dtype=float))
        for point in points
        if point.ours.get(score)
    ]
    if found:
        spreads = [_spread(runs) or 0.0 for _, runs in found]
        axes.errorbar(
            [x for x, _ in found], [runs.mean() for _, runs in found], yerr=spreads, fmt="o-",
            markersize=4.5, linewidth=1.2, capsize=2, color=colour,
        )  # fmt: skip
    for point in points:
        if score in point.quoted:
            mean, std = point.quoted[score]
            axes.errorbar(
                places.index(point.name) + shift + 0.16, mean, yerr=std, fmt="D", markersize=4.5,
                capsize=2, linewidth=1, color=QUOTED_COLOUR, markerfacecolor="white",
            )  # fmt: skip


def _panels(height: float, caption: str, *, sharey: bool) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(3 * PANEL_INCHES, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    panels = list(figure.subplots(1, 3, sharey=sharey, squeeze=False)[0])
    for axes in panels:
        axes.tick_params(labelsize=SMALL)
        axes.spines[["top", "right"]].set_visible(False)
    if caption:
        figure.suptitle(caption, fontsize=SMALL + 1, wrap=True)
    return figure, panels


def _legend(figure: Figure, points: Sequence[ScoredPoint], colours: Mapping[str, str]) -> None:
    named = colours or {"ours: runs, mean \N{PLUS-MINUS SIGN} std": FIRST_TEN[0]}
    handles = [
        Line2D([], [], color=colour, marker="o", markersize=4.5, linewidth=1.2, label=name)
        for name, colour in named.items()
    ]
    if any(point.quoted for point in points):
        handles.append(
            Line2D(
                [],
                [],
                color=QUOTED_COLOUR,
                marker="D",
                markersize=4,
                linewidth=1,
                markerfacecolor="white",
                label="the paper (quoted)",
            )
        )
    figure.legend(
        handles=handles, loc="outside lower center", ncols=len(handles), frameon=False,
        fontsize=SMALL,
    )  # fmt: skip


def _spread(runs: np.ndarray) -> float | None:
    return float(runs.std(ddof=1)) if runs.size > 1 else None
