"""`Panel`: one image of a picture, in colours or as numbers with a colour scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class ColourScale:
    """How numbers become colours.

    Attributes:
        label: What the numbers are, with their unit or the meaning of both ends.
        name: A perceptually uniform colour map of matplotlib.
        low: The number at the lower end.
        high: The number at the upper end.
        extend: Which ends stand for numbers beyond them too.
    """

    label: str
    name: str
    low: float
    high: float
    extend: Literal["neither", "both"] = "neither"


@dataclass(frozen=True)
class Panel:
    """One image: colours as (row, col, rgb), or numbers as (row, col) with their scale.

    Numbers that are NaN were not measured.
    """

    title: str
    image: Float[np.ndarray, "row col *rgb"]
    scale: ColourScale | None = None
