"""Where images, colour bars and the legend of a picture go, in whole picture pixels.

Each scene pixel becomes a square of whole picture pixels, so borders between classes stay crisp.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from pdml.evaluation.legend import LegendEntry, LegendPlan, plan_legend
from pdml.evaluation.picture import DPI

MARGIN = 28
LONGEST_ALONE = 1100  # picture pixels of the longer side of an image that stands alone
LONGEST_AMONG = 700  # and of one among several
NARROWEST = 440  # room that a title and a colour bar need
WIDEST_BAR = 900
WIDE = 1.7  # an image, or all images, wider than this times the height have the legend below
WANTED_ASPECT = 1.25  # width to height of all images together
HOLES_WEIGH = 3.0  # places left empty in the last row, against that aspect
FONT_SIZE = 9.0
PIXELS_PER_POINT = DPI / 72
WIDTH_AT_FONT_SIZE = 1300  # a wider picture is shown smaller, so its text must be larger
LARGEST_FONT = 1.8

# in lines of text
TITLE_LINES = 1.9
BAR_GAP_LINES = 0.7
BAR_LINES = 0.8
BAR_TOTAL_LINES = 3.2  # with the gap and tick labels, without the label
LABEL_LINES = 1.1
GAP_LINES = 1.2
LETTER_WIDTH = 0.55  # of the font size, on average


@dataclass(frozen=True)
class Box:
    """A rectangle from its upper left corner."""

    left: float
    top: float
    width: float
    height: float

    def within(self, size: tuple[int, int]) -> tuple[float, float, float, float]:
        """Left, bottom, width and height as fractions of a picture of (width, height)."""
        width, height = size
        bottom = height - self.top - self.height
        return self.left / width, bottom / height, self.width / width, self.height / height


@dataclass(frozen=True)
class Layout:
    """A picture's size (width, height) and the places of everything in it.

    There is a place for a colour bar under each image, whether or not it has one; `bar_labels`
    are broken into lines that fit it.
    """

    size: tuple[int, int]
    images: tuple[Box, ...]
    bars: tuple[Box, ...]
    bar_labels: tuple[str, ...]
    legend: Box
    legend_columns: int
    font_size: float


def lay_out(
    shape: tuple[int, int], bar_labels: Sequence[str], entries: Sequence[LegendEntry]
) -> Layout:
    """Arranges images of one size, one legend beside or below them.

    Args:
        shape: Rows and columns of each image.
        bar_labels: For each image the label of its colour bar, empty where it has none.
        entries: Lines of the legend.
    """
    n_images = len(bar_labels)
    height, width = _enlarged(shape, n_images)
    slot = max(width, NARROWEST)
    columns = _best_columns(n_images, slot, height)
    font_size = FONT_SIZE * min(LARGEST_FONT, max(1.0, columns * slot / WIDTH_AT_FONT_SIZE))
    line = font_size * PIXELS_PER_POINT
    gap, title = round(GAP_LINES * line), round(TITLE_LINES * line)
    bar_width = min(slot, WIDEST_BAR)
    letters = int(bar_width / (LETTER_WIDTH * line))
    labels = tuple(textwrap.fill(label, letters) for label in bar_labels)
    images: list[Box] = []
    bars: list[Box] = []
    top = MARGIN
    for start in range(0, n_images, columns):
        row = labels[start : start + columns]
        for column in range(len(row)):
            slot_left = MARGIN + column * (slot + gap)
            images.append(Box(slot_left + (slot - width) // 2, top + title, width, height))
            bar_top = top + title + height + BAR_GAP_LINES * line
            bar_left = slot_left + (slot - bar_width) // 2
            bars.append(Box(bar_left, bar_top, bar_width, BAR_LINES * line))
        top += title + height + round(_bar_lines(row) * line) + gap
    used = (columns * (slot + gap) - gap, top - gap - MARGIN)
    below = max(width / height, used[0] / used[1]) > WIDE
    plan = plan_legend(entries, room=used, below=below, font_size=font_size, dpi=DPI)
    legend, size = _place_legend(plan, used, gap, title)
    return Layout(size, tuple(images), tuple(bars), labels, legend, plan.n_columns, font_size)


def _bar_lines(labels: Sequence[str]) -> float:
    """Room for the colour bars of one row of images, in lines of text."""
    if not any(labels):
        return 0.0
    return BAR_TOTAL_LINES + LABEL_LINES * max(label.count("\n") + 1 for label in labels)


def _enlarged(shape: tuple[int, int], n_images: int) -> tuple[int, int]:
    longest = LONGEST_ALONE if n_images == 1 else LONGEST_AMONG
    scale = max(1, longest // max(shape))
    return shape[0] * scale, shape[1] * scale


def _best_columns(n_images: int, slot: int, height: int) -> int:
    """The number of columns whose picture is near the wanted aspect and has few holes or none."""

    def badness(columns: int) -> float:
        n_rows = math.ceil(n_images / columns)
        aspect = columns * slot / (n_rows * height)
        holes = n_rows * columns - n_images
        return abs(math.log(aspect / WANTED_ASPECT)) + HOLES_WEIGH * holes / n_images

    return min(range(1, n_images + 1), key=badness)


def _place_legend(
    plan: LegendPlan, used: tuple[int, int], gap: int, title: int
) -> tuple[Box, tuple[int, int]]:
    width, height = used
    if plan.width == 0:
        return Box(0, 0, 0, 0), (width + 2 * MARGIN, height + 2 * MARGIN)
    if plan.below:
        box = Box(MARGIN, MARGIN + height + gap, plan.width, plan.height)
        return box, (
            max(width, plan.width) + 2 * MARGIN,
            height + gap + plan.height + 2 * MARGIN,
        )
    box = Box(MARGIN + width + gap, MARGIN + title, plan.width, plan.height)
    return box, (
        width + gap + plan.width + 2 * MARGIN,
        max(height, title + plan.height) + 2 * MARGIN,
    )
