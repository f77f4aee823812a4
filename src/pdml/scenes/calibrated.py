"""Stored numbers as physical values: scale and offset of each band; missing values stay missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Shaped

from pdml.scenes.scene import CubeSource
from pdml.scenes.window import Window


@dataclass(frozen=True)
class CalibratedSource:
    """A source whose values are `scale * stored + offset`, with one mark for missing values.

    Attributes:
        whole: The stored numbers.
        scales: A factor per band; empty where the numbers are the values.
        offsets: What is added, per band; empty where the numbers are the values.
        missing: The stored number that marks missing values, per band, or None.
        nodata: What stands for a missing value afterwards.
    """

    whole: CubeSource
    scales: tuple[float, ...]
    offsets: tuple[float, ...]
    missing: tuple[float | None, ...]
    nodata: float | None

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns, bands."""
        return self.whole.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """As stored if nothing is scaled, else floating point that holds all stored numbers."""
        stored = self.whole.dtype
        if not self.scales:
            return stored
        return np.result_type(stored, np.float32)

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """The values inside a window."""
        stored = self.whole.read(window)
        values = stored
        if self.scales:
            values = stored * np.array(self.scales, dtype=self.dtype)
            values += np.array(self.offsets, dtype=self.dtype)
        if self.nodata is not None:
            for band, mark in enumerate(self.missing):
                if mark is not None:
                    there = stored[..., band]
                    is_missing = np.isnan(there) if np.isnan(mark) else there == mark
                    values[..., band][is_missing] = self.nodata
        return values


def calibrated(
    whole: CubeSource,
    *,
    scales: Sequence[float] = (),
    offsets: Sequence[float] = (),
    missing: Sequence[float | None] = (),
) -> tuple[CubeSource, float | None]:
    """A source with its scales and offsets applied, and the value that marks missing pixels.

    Args:
        whole: The stored numbers.
        scales: A factor per band; 1 for all when empty.
        offsets: What is added, per band; 0 for all when empty.
        missing: The stored number that marks missing values, per band; none when empty.

    Returns:
        The source as it is if there is nothing to apply.
    """
    n_bands = whole.shape[2]
    factors, added = tuple(scales or [1.0] * n_bands), tuple(offsets or [0.0] * n_bands)
    marks = tuple(missing or [None] * n_bands)
    stated = [mark for mark in marks if mark is not None]
    nodata = stated[0] if stated else None
    if any(one != 1 for one in factors) or any(one != 0 for one in added):
        return CalibratedSource(whole, factors, added, marks, nodata), nodata
    if len({repr(mark) for mark in stated}) > 1:
        return CalibratedSource(whole, (), (), marks, nodata), nodata
    return whole, nodata
