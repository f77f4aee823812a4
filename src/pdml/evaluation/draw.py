"""Panels and a legend become a figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle

from pdml.evaluation.colours import NOT_MEASURED
from pdml.evaluation.layout import (
    LETTER_WIDTH,
    NARROWEST,
    PIXELS_PER_POINT,
    Box,
    Layout,
    lay_out,
)
from pdml.evaluation.legend import LegendEntry, draw_legend
from pdml.evaluation.panel import ColourScale, Panel
from pdml.evaluation.picture import DPI

MOST_PIXELS = 2000  # a scene longer than this is shown by every n-th pixel
FRAME_GAP_PIXELS = 2
BAR_END = 0.03  # length of an open end of a colour bar


def draw_panels(panels: Sequence[Panel], entries: Sequence[LegendEntry] = ()) -> Figure:
    """Draws images of one scene with one legend outside them.

    Args:
        panels: Images of the same rows and columns.
        entries: Lines of the legend; none leaves it out.
    """
    n_rows, n_cols = panels[0].image.shape[:2]
    step = math.ceil(max(n_rows, n_cols) / MOST_PIXELS)
    images = [panel.image[::step, ::step] for panel in panels]
    shape = (images[0].shape[0], images[0].shape[1])
    layout = lay_out(shape, [panel.scale.label if panel.scale else "" for panel in panels], entries)
    # a hundredth of a pixel keeps the size whole when inches are turned back into pixels
    width, height = ((pixels + 0.01) / DPI for pixels in layout.size)
    figure = Figure(figsize=(width, height), dpi=DPI)
    FigureCanvasAgg(figure)
    for position, (panel, image) in enumerate(zip(panels, images, strict=True)):
        drawn = _draw_image(figure, replace(panel, image=image), layout.images[position], layout)
        if panel.scale is not None:
            _draw_bar(figure, drawn, panel.scale, position, layout)
    if entries:
        left, bottom, _, height = layout.legend.within(layout.size)
        draw_legend(
            figure,
            entries,
            n_columns=layout.legend_columns,
            font_size=layout.font_size,
            at=(left, bottom + height),
        )
    return figure


def _title_size(title: str, box: Box, layout: Layout) -> float:
    """The size of a title in points: smaller where it would run into its neighbour."""
    widest = max(box.width, NARROWEST) / PIXELS_PER_POINT
    return min(1.1 * layout.font_size, widest / (LETTER_WIDTH * max(1, len(title))))


def _draw_image(figure: Figure, panel: Panel, box: Box, layout: Layout) -> AxesImage:
    place = box.within(layout.size)
    axes = figure.add_axes(place)
    axes.set_title(panel.title, fontsize=_title_size(panel.title, box, layout), pad=5)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    figure.add_artist(_frame(place, layout.size))
    if panel.scale is None:
        return axes.imshow(panel.image, interpolation="nearest", aspect="auto")
    return axes.imshow(
        np.ma.masked_invalid(panel.image),
        interpolation="nearest",
        aspect="auto",
        cmap=colormaps[panel.scale.name].with_extremes(bad=NOT_MEASURED),
        norm=Normalize(panel.scale.low, panel.scale.high),
    )


def _frame(place: tuple[float, float, float, float], size: tuple[int, int]) -> Rectangle:
    """A frame beside an image, so that no pixel is covered."""
    left, bottom, width, height = place
    across, up = (FRAME_GAP_PIXELS / pixels for pixels in size)
    return Rectangle(
        (left - across, bottom - up),
        width + 2 * across,
        height + 2 * up,
        fill=False,
        edgecolor="#888888",
        linewidth=0.5,
    )


def _draw_bar(
    figure: Figure, drawn: AxesImage, scale: ColourScale, position: int, layout: Layout
) -> None:
    bar = figure.colorbar(
        drawn,
        cax=figure.add_axes(layout.bars[position].within(layout.size)),
        orientation="horizontal",
        extend=scale.extend,
        extendfrac=BAR_END,
    )
    bar.ax.tick_params(labelsize=0.85 * layout.font_size, length=2, pad=1.5)
    bar.set_label(layout.bar_labels[position], fontsize=0.95 * layout.font_size, labelpad=2)
