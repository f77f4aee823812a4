"""Whether a scene's values can be learnt from: no NaN, no infinity, no band without content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int, Shaped

from pdml.errors import InvalidInputError
from pdml.scenes.band_list import ranges
from pdml.scenes.row_blocks import STRIP_BYTES, row_blocks
from pdml.scenes.scene import Scene

_NAMED_BANDS = 6


def check_values(
    scene: Scene, *, allow_constant: bool = False, strip_bytes: int = STRIP_BYTES
) -> None:
    """Checks all measured pixels of a scene, a strip of rows at a time.

    Args:
        scene: The scene; its `nodata` pixels are left out.
        allow_constant: Whether a band may have the same value everywhere, as it may in a small cut
            that is only mapped.
        strip_bytes: Most memory that one strip may take.

    Raises:
        InvalidInputError: If a band holds NaN or infinite values, or is constant, or if no pixel
            was measured; the bands are named.
    """
    found = _survey(scene, strip_bytes)
    if found.n_pixels == 0:
        raise InvalidInputError(
            f"'{scene.name}' must have at least one measured pixel, but all hold the nodata value "
            f"{scene.nodata}; check --nodata"
        )
    numbers = np.array(scene.band_numbers)
    broken = numbers[found.is_broken]
    if len(broken):
        hold = "holds" if len(broken) == 1 else "hold"
        raise InvalidInputError(
            f"'{scene.name}' must be finite, but {name_bands(broken)} {hold} NaN or infinite "
            f"values in {found.n_broken_pixels} pixels; mark missing pixels with --nodata VALUE, "
            f"or leave the bands out with --drop-bands {ranges(broken)}"
        )
    constant = numbers[found.lowest == found.highest]
    if len(constant) and not allow_constant:
        has = "has" if len(constant) == 1 else "have"
        raise InvalidInputError(
            f"'{scene.name}' must vary in each band, but {name_bands(constant)} {has} the same "
            f"value in all pixels; leave out what says nothing: --drop-bands {ranges(constant)}"
        )


def name_bands(bands: Sequence[int] | Int[np.ndarray, " n"]) -> str:
    """Bands in words, counted from 0: "bands 3, 17 and 20", the first few when they are many."""
    names = [str(band) for band in bands]
    if len(names) == 1:
        return f"band {names[0]} (counted from 0)"
    if len(names) > _NAMED_BANDS:
        rest = len(names) - _NAMED_BANDS + 1
        names = [*names[: _NAMED_BANDS - 1], f"{rest} more"]
    return f"bands {', '.join(names[:-1])} and {names[-1]} (counted from 0)"


@dataclass
class _Survey:
    """What was found in the measured pixels so far."""

    n_pixels: int
    n_broken_pixels: int
    is_broken: Bool[np.ndarray, " band"]
    lowest: Shaped[np.ndarray, " band"]
    highest: Shaped[np.ndarray, " band"]

    def add(self, pixels: Shaped[np.ndarray, "n band"]) -> None:
        """Adds the spectra of measured pixels."""
        if len(pixels) == 0:
            return
        if pixels.dtype.kind == "f":
            broken = ~np.isfinite(pixels)
            self.is_broken |= broken.any(axis=0)
            self.n_broken_pixels += int(broken.any(axis=1).sum())
        lowest, highest = pixels.min(axis=0), pixels.max(axis=0)
        if self.n_pixels:
            lowest = np.minimum(self.lowest, lowest)
            highest = np.maximum(self.highest, highest)
        self.lowest, self.highest = lowest, highest
        self.n_pixels += len(pixels)


def _survey(scene: Scene, strip_bytes: int) -> _Survey:
    none = np.zeros(scene.n_bands)
    found = _Survey(0, 0, np.zeros(scene.n_bands, dtype=bool), none, none)
    for window in row_blocks(scene, strip_bytes=strip_bytes):
        cube = scene.read(window)
        found.add(cube[scene.measured(cube)])
    return found
