"""Bands as a person names them: `0-9, 1350-1450nm, water, bad`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float

from pdml.errors import InvalidInputError
from pdml.scenes.scene import Scene

WATER_VAPOUR_NM = ((1350.0, 1450.0), (1800.0, 1950.0))
"""Where water vapour in the air leaves next to no light, around its bands at 1380 and 1880 nm."""

NM_PER_TYPED_UNIT = {"nm": 1.0, "um": 1e3, "µm": 1e3, "μm": 1e3}

_DECIMAL = r"(\d+(?:\.\d+)?)"
_UNIT = rf"({'|'.join(NM_PER_TYPED_UNIT)})"
_NUMBERS = re.compile(r"(\d+)(?:\s*-\s*(\d+))?")
_WAVELENGTHS = re.compile(rf"{_DECIMAL}\s*{_UNIT}?\s*-\s*{_DECIMAL}\s*{_UNIT}", re.IGNORECASE)


def bands_in(text: str, scene: Scene, *, option: str) -> list[int]:
    """The numbers of the bands that a text names, from 0, in ascending order.

    Args:
        text: Parts with commas between them: a number (`3`), a range of numbers (`10-19`), a range
            of wavelengths (`1350-1450nm`, `1.35-1.45um`), `water` for the bands in which water
            vapour absorbs, or `bad` for those that the file calls unusable. Ranges include their
            ends.
        scene: The scene.
        option: How the option is called, for messages.

    Raises:
        InvalidInputError: If a part is not understood, or names what the scene does not have.
    """
    found: set[int] = set()
    for part in text.split(","):
        found |= set(_of_part(part.strip(), scene, option))
    return sorted(found)


def ranges(numbers: Sequence[int]) -> str:
    """Whole numbers with runs drawn together: 0-2,7,9-10. `bands_in` reads it again."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ",".join("-".join(map(str, run)) for run in runs)


def _of_part(part: str, scene: Scene, option: str) -> Iterable[int]:
    if part.lower() == "water":
        wavelengths = _wavelengths(scene, part, option)
        return [n for low, high in WATER_VAPOUR_NM for n in _between(wavelengths, low, high)]
    if part.lower() == "bad":
        return _bad(scene, option)
    if numbers := _NUMBERS.fullmatch(part):
        return _numbered(int(numbers[1]), int(numbers[2] or numbers[1]), scene, option)
    if range_ := _WAVELENGTHS.fullmatch(part):
        low, low_unit, high, high_unit = range_.groups()
        per_unit = NM_PER_TYPED_UNIT[high_unit.lower()]
        per_low_unit = NM_PER_TYPED_UNIT[low_unit.lower()] if low_unit else per_unit
        return _lying_in(float(low) * per_low_unit, float(high) * per_unit, part, scene, option)
    raise InvalidInputError(
        f"{option} must name bands by numbers from 0 (3 or 10-19), by wavelengths (1350-1450nm), "
        f"as water or as bad, with commas between them, got '{part}'"
    )


def _numbered(first: int, last: int, scene: Scene, option: str) -> Iterable[int]:
    if not first <= last < scene.n_bands:
        raise InvalidInputError(
            f"{option} must name bands from 0 to {scene.n_bands - 1} of '{scene.name}', the "
            f"smaller number first, got '{first if first == last else f'{first}-{last}'}'; "
            "`pdml info` lists them"
        )
    return range(first, last + 1)


def _lying_in(low: float, high: float, part: str, scene: Scene, option: str) -> Iterable[int]:
    wavelengths = _wavelengths(scene, part, option)
    found = _between(wavelengths, low, high)
    if not found:
        raise InvalidInputError(
            f"{option} {part} must name at least one band, but the {scene.n_bands} bands of "
            f"'{scene.name}' from {wavelengths.min():.5g} to {wavelengths.max():.5g} nm have none "
            "there; name the shorter wavelength first, or leave it out"
        )
    return found


def _bad(scene: Scene, option: str) -> Iterable[int]:
    if scene.good_bands is None:
        raise InvalidInputError(
            f"{option} bad needs a file that says which bands are bad, that of '{scene.name}' does "
            "not; name them by number or wavelength"
        )
    bad: list[int] = np.flatnonzero(~scene.good_bands).tolist()
    return bad


def _wavelengths(scene: Scene, part: str, option: str) -> Float[np.ndarray, " band"]:
    if scene.wavelengths_nm is None:
        raise InvalidInputError(
            f"{option} {part} needs a scene with wavelengths, '{scene.name}' has none; name bands "
            "by numbers from 0"
        )
    return scene.wavelengths_nm


def _between(wavelengths: Float[np.ndarray, " band"], low: float, high: float) -> list[int]:
    found: list[int] = np.flatnonzero((wavelengths >= low) & (wavelengths <= high)).tolist()
    return found
