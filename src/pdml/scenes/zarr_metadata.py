"""What a zarr array says of its axes, bands, missing values and place.

Looked for where xarray, rioxarray and the CF conventions put it: names of dimensions, coordinates
with the name of a dimension, attributes, and an array `spatial_ref` without values.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Shaped

from pdml.scenes.band_metadata import GOOD_TAGS, UNIT_TAGS, WAVELENGTH_TAGS
from pdml.scenes.georeference import Georeference
from pdml.scenes.wavelengths import NM_PER_UNIT, in_nanometres

ROW_NAMES = ("y", "row", "rows", "line", "lines", "lat", "latitude", "northing")
COL_NAMES = ("x", "col", "cols", "sample", "samples", "lon", "longitude", "easting")
FILL_NAMES = ("_FillValue", "missing_value", "nodata")
PLACE = "spatial_ref"
EVEN = 1e-3
"""Steps between coordinates may differ by this share, which is more than rounding."""

Arrays = Mapping[str, Any]


def axes_of(array: Any) -> tuple[int, int, int]:
    """Which axes of a cube are rows, columns and bands."""
    names = [(name or "").lower() for name in _dimensions(array)]
    rows = [axis for axis, name in enumerate(names) if name in ROW_NAMES]
    cols = [axis for axis, name in enumerate(names) if name in COL_NAMES]
    if len(rows) != 1 or len(cols) != 1:
        return 0, 1, 2
    (band,) = {0, 1, 2} - {rows[0], cols[0]}
    return rows[0], cols[0], band


def wavelengths_of(arrays: Arrays, key: str, n_bands: int) -> Float[np.ndarray, " band"] | None:
    """Centres of bands in nanometres, where they are stored beside the cube or in its attributes.

    A coordinate of another name counts if its unit is one of wavelengths.
    """
    array = arrays[key]
    unit = next((str(array.attrs[name]) for name in UNIT_TAGS if name in array.attrs), None)
    for name in WAVELENGTH_TAGS:
        listed = array.attrs.get(name)
        if isinstance(listed, list) and len(listed) == n_bands:
            return in_nanometres(listed, unit)
    names = [*WAVELENGTH_TAGS, *filter(None, [_dimensions(array)[axes_of(array)[2]]])]
    for name in names:
        beside = _beside(arrays, key, name, n_bands)
        if beside is None:
            continue
        stated = str(beside.attrs.get("units", ""))
        if name in WAVELENGTH_TAGS or stated.strip().lower() in NM_PER_UNIT:
            return in_nanometres(np.asarray(beside[...]), stated)
    return None


def good_bands_of(arrays: Arrays, key: str, n_bands: int) -> Bool[np.ndarray, " band"] | None:
    """Which bands are usable; None where nothing says so."""
    for name in GOOD_TAGS:
        listed = arrays[key].attrs.get(name)
        if not (isinstance(listed, list) and len(listed) == n_bands):
            beside = _beside(arrays, key, name, n_bands)
            listed = None if beside is None else beside[...]
        if listed is not None:
            good: Bool[np.ndarray, " band"] = np.asarray(listed) != 0
            return good
    return None


def nodata_of(array: Any) -> float | None:
    """The value that marks missing pixels.

    What zarr fills chunks with that are not stored does not count: it is 0 if nobody chose it.
    """
    for name in FILL_NAMES:
        if (value := number_of(array, name)) is not None:
            return value
    return None


def number_of(array: Any, name: str) -> float | None:
    """An attribute that is a number, or the text that xarray makes of one."""
    value = array.attrs.get(name)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return _unpacked(value)
    return float(value) if isinstance(value, int | float) else None


def georeference_of(arrays: Arrays, key: str) -> Georeference | None:
    """Where the pixels are: six numbers beside the CRS, or evenly spaced coordinates."""
    array = arrays[key]
    place = arrays.get(_name_beside(key, str(array.attrs.get("grid_mapping", PLACE))))
    about = {} if place is None else dict(place.attrs)
    crs = str(about.get("crs_wkt") or about.get("spatial_ref") or "")
    if "GeoTransform" in about:
        x, a, b, y, d, e = (float(number) for number in str(about["GeoTransform"]).split())
        return Georeference((a, b, x, d, e, y), crs)
    rows, cols, _ = axes_of(array)
    names = _dimensions(array)
    x_axis = _even(_beside(arrays, key, names[cols], array.shape[cols]))
    y_axis = _even(_beside(arrays, key, names[rows], array.shape[rows]))
    if x_axis is None or y_axis is None:
        return None
    (x, width), (y, height) = x_axis, y_axis
    return Georeference((width, 0.0, x - width / 2, 0.0, height, y - height / 2), crs)


def _even(coordinate: Any) -> tuple[float, float] | None:
    """The first centre and the step of a coordinate, if its steps are alike."""
    if coordinate is None or coordinate.shape[0] < 2:
        return None
    values: Shaped[np.ndarray, " n"] = np.asarray(coordinate[...], dtype=np.float64)
    step = float((values[-1] - values[0]) / (len(values) - 1))
    if step == 0 or np.abs(np.diff(values) - step).max() > EVEN * abs(step):
        return None
    return float(values[0]), step


def _dimensions(array: Any) -> list[str | None]:
    """Names of the axes: metadata of version 3, or an attribute of xarray's in version 2."""
    named = getattr(array.metadata, "dimension_names", None)
    named = named or array.attrs.get("_ARRAY_DIMENSIONS") or [None] * array.ndim
    return list(named)


def _beside(arrays: Arrays, key: str, name: str | None, length: int) -> Any:
    """An array of one axis and some length in the group of another, or None."""
    found = arrays.get(_name_beside(key, name)) if name else None
    return found if found is not None and found.shape == (length,) else None


def _name_beside(key: str, name: str) -> str:
    group = key.rpartition("/")[0]
    return f"{group}/{name}" if group else name


def _unpacked(text: str) -> float | None:
    """A number as xarray writes it into version 3: 8 bytes in base 64."""
    try:
        (number,) = struct.unpack("<d", base64.standard_b64decode(text))
    except (binascii.Error, struct.error):
        return None
    return float(number)
