"""A small picture in a terminal: each character shows two pixels, one above the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

HALF_BLOCK = "\N{UPPER HALF BLOCK}"
MOST_COLS = 64
MOST_LINES = 24


def shows_colours(console: Console) -> bool:
    """Whether somebody looks at a terminal that can show the picture."""
    return (
        console.is_terminal
        and console.color_system in ("256", "truecolor", "windows")
        and console.encoding.lower().startswith("utf")
    )


def half_blocks(picture: Float[np.ndarray, "row col rgb"], *, width: int) -> Text:
    """A picture of colours from 0 to 1 as characters.

    Args:
        picture: The picture.
        width: Columns of the terminal.
    """
    from rich.color import Color
    from rich.style import Style
    from rich.text import Text

    small = _thinned(picture, 2 * MOST_LINES, min(width, MOST_COLS))
    levels = np.rint(255 * small).astype(int)
    text = Text()
    for row in range(0, len(levels), 2):
        if row:
            text.append("\n")
        for col in range(levels.shape[1]):
            upper = Color.from_rgb(*levels[row, col])
            lower = Color.from_rgb(*levels[row + 1, col]) if row + 1 < len(levels) else None
            text.append(HALF_BLOCK, Style(color=upper, bgcolor=lower))
    return text


def _thinned(
    picture: Float[np.ndarray, "row col rgb"], most_rows: int, most_cols: int
) -> Float[np.ndarray, "row col rgb"]:
    """Evenly spaced pixels, the same number along and across."""
    n_rows, n_cols, _ = picture.shape
    step = max(n_rows / most_rows, n_cols / most_cols, 1.0)
    rows, cols = (
        ((np.arange(max(1, int(n / step))) + 0.5) * step).astype(int) for n in (n_rows, n_cols)
    )
    thinned: Float[np.ndarray, "row col rgb"] = picture[np.ix_(rows, cols)]
    return thinned
