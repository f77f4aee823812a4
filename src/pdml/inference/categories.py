"""What the codes in a stored class band mean: names and colours by code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

NOT_MEASURED = "not measured"
REJECTED = "rejected"
REJECTED_COLOUR = "#000000"
LARGEST_BYTE = 255


@dataclass(frozen=True)
class Categories:
    """Codes of a class band: 0 not measured, 1 to K the classes, K + 1 rejected.

    Attributes:
        class_names: K names.
        colours: K colours as `#rrggbb`.
        rejects: Whether there is a category of pixels below a probability.
    """

    class_names: Sequence[str]
    colours: Sequence[str]
    rejects: bool = False

    @property
    def names(self) -> list[str]:
        """Names by code."""
        return [NOT_MEASURED, *self.class_names, *([REJECTED] if self.rejects else [])]

    @property
    def rgba(self) -> list[tuple[int, int, int, int]]:
        """Colours by code; what was not measured is transparent."""
        colours = [*self.colours, *([REJECTED_COLOUR] if self.rejects else [])]
        return [(0, 0, 0, 0), *((*_levels(colour), 255) for colour in colours)]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The smallest type that holds every code, with or without the rejected."""
        return np.dtype(np.uint8 if len(self.class_names) < LARGEST_BYTE else np.uint16)


def _levels(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue
