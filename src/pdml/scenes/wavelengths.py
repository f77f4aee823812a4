"""Wavelengths as files state them, in nanometres."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

NM_PER_UNIT = {
    "nm": 1.0,
    "nanometer": 1.0,
    "nanometers": 1.0,
    "nanometre": 1.0,
    "nanometres": 1.0,
    "um": 1e3,
    "µm": 1e3,  # the micro sign
    "μm": 1e3,  # the Greek letter
    "micron": 1e3,
    "microns": 1e3,
    "micrometer": 1e3,
    "micrometers": 1e3,
    "micrometre": 1e3,
    "micrometres": 1e3,
    "mm": 1e6,
    "millimeters": 1e6,
    "cm": 1e7,
    "centimeters": 1e7,
    "m": 1e9,
    "meters": 1e9,
    "angstrom": 0.1,
    "angstroms": 0.1,
}
WAVENUMBERS = ("wavenumber", "wavenumbers", "cm-1", "cm^-1", "1/cm")
NM_TIMES_WAVENUMBER = 1e7
NM_TIMES_FREQUENCY = {"hz": 2.99792458e17, "mhz": 2.99792458e11, "ghz": 2.99792458e8}
NO_LENGTH = ("index",)
"""Units that number bands instead of saying where they lie."""

MOST_MICROMETRES = 100.0
"""Without a unit, values below are micrometres and others nanometres: optical sensors see from 0.2
to 15 micrometres."""
PLAUSIBLE_NM = (150.0, 100_000.0)

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_WITH_UNIT = re.compile(
    rf"({_NUMBER})\s*({'|'.join(sorted(map(re.escape, NM_PER_UNIT), key=len, reverse=True))})\b",
    re.IGNORECASE,
)


def in_nanometres(
    values: Sequence[float] | Float[np.ndarray, " band"], unit: str | None
) -> Float[np.ndarray, " band"] | None:
    """Wavelengths in nanometres, or None where the values cannot be wavelengths.

    Args:
        values: One number per band.
        unit: As the file calls it, in any case; guessed from the size of the values when it is
            None, empty or unknown.
    """
    stated = np.asarray(values, dtype=np.float64)
    name = (unit or "").strip().lower()
    if not stated.size or not np.isfinite(stated).all() or name in NO_LENGTH:
        return None
    if not (stated > 0).all():
        return None
    if name in NM_PER_UNIT:
        return stated * NM_PER_UNIT[name]
    if name in WAVENUMBERS:
        return NM_TIMES_WAVENUMBER / stated
    if name in NM_TIMES_FREQUENCY:
        return NM_TIMES_FREQUENCY[name] / stated
    guessed = stated * (1e3 if stated.max() < MOST_MICROMETRES else 1.0)
    lowest, highest = PLAUSIBLE_NM
    return guessed if lowest <= guessed.min() and guessed.max() <= highest else None


def numbers_in(text: str) -> list[float]:
    """The numbers of a list such as `{0.41, 0.42}`; empty if something else is in it."""
    parts = [part for part in re.split(r"[\s,;{}\[\]()]+", text) if part]
    try:
        return [float(part) for part in parts]
    except ValueError:
        return []


def wavelength_in(text: str) -> float | None:
    """The wavelength in nanometres that a band's name states with its unit: `Band 3 (0.55 um)`."""
    found = _WITH_UNIT.search(text)
    return float(found[1]) * NM_PER_UNIT[found[2].lower()] if found else None
