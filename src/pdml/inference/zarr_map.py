"""A map as a zarr group: one array per layer, in chunks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import pdml
from pdml.errors import StorageError
from pdml.inference.categories import Categories
from pdml.inference.layers import CLASSES, Layers, description, doubts_in, windows
from pdml.optional import require
from pdml.scenes.georeference import Georeference

CHUNK = 256
COLS_AT_ONCE = 16 * CHUNK
PLACE = "spatial_ref"


def write_zarr(
    path: Path,
    layers: Layers,
    categories: Categories,
    *,
    georeference: Georeference | None = None,
    about: dict[str, str] | None = None,
) -> None:
    """Writes a map as a folder that xarray, rioxarray and GDAL open.

    Args:
        path: The folder.
        layers: The map.
        categories: Names and colours of its codes.
        georeference: Where it is, kept as CF and rioxarray do: an array `spatial_ref`.
        about: Remarks that are kept with the group.

    Raises:
        MissingExtraError: If zarr is not installed.
        StorageError: If it cannot be written.
    """
    zarr = require("zarr", extra="scale")
    try:
        group = zarr.open_group(str(path), mode="w", zarr_format=3)
        group.attrs.update(
            {
                "software": f"pdml {pdml.__version__}",
                "categories": categories.names,
                "colours": [list(rgba) for rgba in categories.rgba],
                **(about or {}),
            }
        )
        if georeference is not None:
            _write_place(group, georeference)
        arrays = {
            name: _new_array(group, name, layers, placed=georeference is not None)
            for name in [CLASSES, *doubts_in(layers.dtype)]
        }
        for window in windows(layers.shape, rows=CHUNK, cols=COLS_AT_ONCE):
            found = layers.read(window)
            for name, array in arrays.items():
                array[window.slices] = found[name]
    except OSError as error:
        raise StorageError(
            f"cannot write {path.name}: {error.strerror or error}; nothing was changed under that "
            "name, free some space and repeat the command: what is mapped already is kept"
        ) from error


def _new_array(group: Any, name: str, layers: Layers, *, placed: bool) -> Any:
    dtype = layers.dtype[name]
    array = group.create_array(
        name,
        shape=layers.shape,
        chunks=tuple(min(CHUNK, side) for side in layers.shape),
        dtype=dtype,
        fill_value=np.nan if dtype.kind == "f" else 0,
        dimension_names=("y", "x"),
    )
    codes = "class of the pixel, 0 where not measured"
    array.attrs["long_name"] = codes if name == CLASSES else description(name)
    if placed:
        array.attrs["grid_mapping"] = PLACE
    return array


def _write_place(group: Any, georeference: Georeference) -> None:
    a, b, c, d, e, f = georeference.transform
    place = group.create_array(PLACE, shape=(), dtype="int64")
    place.attrs["crs_wkt"] = place.attrs["spatial_ref"] = georeference.crs
    place.attrs["GeoTransform"] = " ".join(repr(number) for number in (c, a, b, f, d, e))
