"""The one legend of a picture: class names and colours, beside the images or below them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.patches import Patch


@dataclass(frozen=True)
class LegendEntry:
    """One line of a legend."""

    name: str
    colour: str


@dataclass(frozen=True)
class LegendPlan:
    """Where a legend goes, and its size in picture pixels."""

    below: bool
    n_columns: int
    width: int
    height: int


def plan_legend(
    entries: Sequence[LegendEntry],
    *,
    room: tuple[int, int],
    below: bool,
    font_size: float,
    dpi: int,
) -> LegendPlan:
    """Chooses the columns of a legend so that it is no wider or higher than the images.

    Args:
        entries: The lines.
        room: Width and height of the images together, in picture pixels.
        below: Whether the legend stands below the images, not beside them.
        font_size: In points.
        dpi: Picture pixels per inch.
    """
    width, height = room
    if not entries:
        return LegendPlan(below, 1, 0, 0)
    scratch = Figure(dpi=dpi)
    FigureCanvasAgg(scratch)

    def size(n_columns: int) -> tuple[int, int]:
        legend = draw_legend(scratch, entries, n_columns=n_columns, font_size=font_size)
        box = legend.get_window_extent()
        legend.remove()
        return math.ceil(box.width), math.ceil(box.height)

    column_width, column_height = size(1)
    wanted = max(1, width // column_width) if below else math.ceil(column_height / height)
    # as many columns as the rows that are needed then fill evenly
    n_rows = math.ceil(len(entries) / wanted)
    n_columns = math.ceil(len(entries) / n_rows)
    return LegendPlan(below, n_columns, *size(n_columns))


def draw_legend(
    figure: Figure,
    entries: Sequence[LegendEntry],
    *,
    n_columns: int,
    font_size: float,
    at: tuple[float, float] = (0.0, 1.0),
) -> Legend:
    """Draws a legend with its upper left corner at a place in figure coordinates."""
    patches = [
        Patch(facecolor=entry.colour, edgecolor="#555555", linewidth=0.5, label=entry.name)
        for entry in entries
    ]
    return figure.legend(
        handles=patches,
        loc="upper left",
        bbox_to_anchor=at,
        ncols=n_columns,
        frameon=False,
        fontsize=font_size,
        borderpad=0,
        borderaxespad=0,
        handlelength=1.3,
        handleheight=1.0,
        labelspacing=0.35,
        columnspacing=1.4,
    )
