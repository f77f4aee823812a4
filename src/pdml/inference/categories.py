"""What the codes in a stored class band mean: names and colours by code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pdml.inference.unknown.detector import UNKNOWN

NOT_MEASURED = "not measured"
REJECTED = "rejected"
REJECTED_COLOUR = "#000000"
UNKNOWN_COLOUR = "#ff00ff"  # further than any other from the colours that classes are given
LARGEST_BYTE = 255


@dataclass(frozen=True)
class Categories:
    """Codes of a class band: 0 not measured, 1 to K the classes, K + 1 rejected, K + 2 unknown.

    Attributes:
        class_names: K names.
        colours: K colours as `#rrggbb`.
        rejects: Whether there is a category of pixels below a probability.
        finds_unknown: Whether there is a category of pixels that are like no class.
    """

    class_names: Sequence[str]
    colours: Sequence[str]
    rejects: bool = False
    finds_unknown: bool = False

    @property
    def names(self) -> list[str]:
        """Names by code, without gaps: where pixels can be unknown, the rejected keep theirs."""
        return [NOT_MEASURED, *self.class_names, *[name for name, _ in self._further]]

    @property
    def rgba(self) -> list[tuple[int, int, int, int]]:
        """Colours by code; what was not measured is transparent."""
        colours = [*self.colours, *[colour for _, colour in self._further]]
        return [(0, 0, 0, 0), *((*_levels(colour), 255) for colour in colours)]

    @property
    def shown(self) -> list[int]:
        """Codes that a legend shows: those that a pixel can have, but for what was not measured."""
        rejected = len(self.class_names) + 1
        return [code for code in range(1, len(self.names)) if code != rejected or self.rejects]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The smallest type that holds every code, with or without the rejected."""
        largest = len(self.class_names) + 1 + self.finds_unknown
        return np.dtype(np.uint8 if largest <= LARGEST_BYTE else np.uint16)

    @property
    def _further(self) -> list[tuple[str, str]]:
        """Names and colours of codes after those of the classes."""
        both = [(REJECTED, REJECTED_COLOUR), (UNKNOWN, UNKNOWN_COLOUR)]
        return both if self.finds_unknown else both[: int(self.rejects)]


def _levels(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue
