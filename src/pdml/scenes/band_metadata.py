"""What a raster of GDAL says of its bands: wavelengths and which are usable.

There is no one place for it. Looked for in this order: the IMAGERY domain of a band, which GDAL
has since 3.10; a band's tag, as GDAL's driver for ENVI and its copies have; a list among the tags
of the file; the band's description.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from pdml.scenes.wavelengths import in_nanometres, numbers_in, wavelength_in

WAVELENGTH_TAGS = (
    "wavelength",
    "wavelengths",
    "center_wavelength",
    "central_wavelength",
    "centre_wavelength",
)
UNIT_TAGS = ("wavelength_units", "wavelength_unit", "units_wavelength")
GOOD_TAGS = ("bbl", "good_wavelengths", "good_bands")
SUFFIXED_UNITS = ("nm", "um")
"""Units that end a tag's name: `central_wavelength_um`."""

_FILE_DOMAINS = (None, "ENVI", "IMAGERY")


def wavelengths_of(file: Any, bands: Sequence[int]) -> Float[np.ndarray, " band"] | None:
    """Centres of bands in nanometres, where the file tells all of them.

    Args:
        file: An open dataset of rasterio.
        bands: Numbers of the bands, from 1.
    """
    unit = next(filter(None, (_first(tags, UNIT_TAGS) for tags in _of_file(file))), None)
    for domain in ("IMAGERY", None):
        stated = [_stated(_lower(file.tags(band, ns=domain)), unit) for band in bands]
        if found := _all_known(stated):
            return np.array(found)
    for name in WAVELENGTH_TAGS:
        for tags in _of_file(file):
            listed = numbers_in(tags.get(name, ""))
            if len(listed) == file.count:
                return in_nanometres([listed[band - 1] for band in bands], unit)
    described = [file.descriptions[band - 1] or "" for band in bands]
    if found := _all_known([wavelength_in(text) for text in described]):
        return np.array(found)
    plain = [numbers_in(text) for text in described]
    # Numbers alone are taken for wavelengths only if they grow, which sets them off from codes.
    if all(len(one) == 1 for one in plain) and bool((np.diff(np.ravel(plain)) > 0).all()):
        return in_nanometres([one[0] for one in plain], unit)
    return None


def good_bands_of(file: Any, bands: Sequence[int]) -> Bool[np.ndarray, " band"] | None:
    """Which bands the file calls usable; None where it says nothing."""
    stated = [_first(_lower(file.tags(band)), GOOD_TAGS) for band in bands]
    if any(stated):
        return np.array([one.strip().lower() not in ("0", "false", "bad") for one in stated])
    for tags in _of_file(file):
        listed = numbers_in(_first(tags, GOOD_TAGS))
        if len(listed) == file.count:
            return np.array([listed[band - 1] != 0 for band in bands])
    return None


def scale_of(file: Any) -> float:
    """What numbers are multiplied with to become reflectance, as only an ENVI header states it."""
    stated = file.tags(ns="ENVI").get("reflectance_scale_factor", "")
    factor = numbers_in(stated)
    if file.driver != "ENVI" or len(factor) != 1 or factor[0] <= 0:
        return 1.0
    return 1.0 / factor[0]


def unit_of(file: Any, bands: Sequence[int]) -> str:
    """The unit of the values, if all bands have the same one."""
    units = {file.units[band - 1] or "" for band in bands}
    named = units.pop() if len(units) == 1 else ""
    return named or file.tags(ns="ENVI").get("data_units", "")


def _of_file(file: Any) -> Iterator[dict[str, str]]:
    for domain in _FILE_DOMAINS:
        yield _lower(file.tags(ns=domain))


def _lower(tags: Mapping[str, str]) -> dict[str, str]:
    return {name.lower().replace(" ", "_"): text for name, text in tags.items()}


def _first(tags: Mapping[str, str], names: Sequence[str]) -> str:
    return next((tags[name] for name in names if tags.get(name)), "")


def _stated(tags: Mapping[str, str], unit: str | None) -> float | None:
    """The wavelength of one band in nanometres."""
    for name in WAVELENGTH_TAGS:
        for ending in SUFFIXED_UNITS:
            known = _one(tags.get(f"{name}_{ending}", ""), ending)
            if known is not None:
                return known
        text = tags.get(name, "")
        known = wavelength_in(text) or _one(text, _first(tags, UNIT_TAGS) or unit)
        if known is not None:
            return known
    return None


def _one(text: str, unit: str | None) -> float | None:
    numbers = numbers_in(text)
    known = in_nanometres(numbers, unit) if len(numbers) == 1 else None
    return None if known is None else float(known[0])


def _all_known(stated: Sequence[float | None]) -> list[float]:
    known = [one for one in stated if one is not None]
    return known if len(known) == len(stated) else []
