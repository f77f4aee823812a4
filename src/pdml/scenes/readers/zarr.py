"""Zarr, versions 2 and 3: a folder of chunks, or such a folder in a `.zip`.

Names of axes and coordinates are used where they are stored, as xarray and rioxarray do. Without
names a cube is (row, col, band).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Shaped

from pdml.optional import require
from pdml.scenes.blocks import by_blocks
from pdml.scenes.calibrated import calibrated
from pdml.scenes.reader import READERS, StoredArray, reading
from pdml.scenes.scene import Scene
from pdml.scenes.whole import cube_shape
from pdml.scenes.window import Window
from pdml.scenes.zarr_chunks import checked
from pdml.scenes.zarr_metadata import (
    axes_of,
    georeference_of,
    good_bands_of,
    nodata_of,
    number_of,
    wavelengths_of,
)


@dataclass(frozen=True)
class ZarrSource:
    """A cube of which only the chunks that are asked for are read.

    Attributes:
        path: The folder or the archive.
        name: The array's name in it; empty if it is the only thing there.
        shape: Rows, columns, bands.
        dtype: Type of the values.
        axes: Which axes of the array these three are.
    """

    path: Path
    name: str
    shape: tuple[int, int, int]
    dtype: np.dtype[Any]
    axes: tuple[int, int, int]

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """The values inside a window."""
        wanted: list[slice] = [slice(None)] * 3
        for axis, part in zip(self.axes, window.slices, strict=False):
            wanted[axis] = part
        with reading(self.path):
            stored = np.asarray(_array(self.path, self.name)[tuple(wanted)])
        return np.ascontiguousarray(stored.transpose(self.axes))


@READERS.register
class ZarrReader:
    """Reads `.zarr` and `.zarr.zip`."""

    suffixes: ClassVar[tuple[str, ...]] = (".zarr", ".zarr.zip")

    def stored(self, path: Path) -> list[StoredArray]:
        """The arrays, from their metadata."""
        found = []
        for name, array in _arrays(path).items():
            order = axes_of(array) if array.ndim == 3 else range(array.ndim)
            shape = tuple(array.shape[axis] for axis in order)
            found.append(StoredArray(name or _stem(path), shape, array.dtype.name))
        return found

    def scene(self, path: Path, name: str) -> Scene:
        """The cube as a scene, with what is known of its bands and its place."""
        arrays = _arrays(path)
        key = "" if "" in arrays else name
        array, axes = arrays[key], axes_of(arrays[key])
        shape = cube_shape(tuple(array.shape[axis] for axis in axes))
        unpacked = array.shards or array.chunks
        source = by_blocks(
            ZarrSource(path, key, shape, array.dtype, axes), (unpacked[axes[0]], unpacked[axes[1]])
        )
        scale, offset = number_of(array, "scale_factor"), number_of(array, "add_offset")
        marks = [nodata_of(array)] * shape[2]
        factors = [1.0 if scale is None else scale] * shape[2]
        source, nodata = calibrated(
            source, scales=factors, offsets=[offset or 0.0] * shape[2], missing=marks
        )
        return Scene(
            source,
            name=_stem(path),
            wavelengths_nm=wavelengths_of(arrays, key, shape[2]),
            good_bands=good_bands_of(arrays, key, shape[2]),
            nodata=nodata,
            georeference=georeference_of(arrays, key),
            unit=str(array.attrs.get("units", "")),
        )

    def image(self, path: Path, name: str) -> Shaped[np.ndarray, "row col"]:
        """The image, read at once."""
        array = np.asarray(_array(path, "" if "" in _arrays(path) else name)[...])
        return array.reshape(array.shape[:2])


def _stem(path: Path) -> str:
    return path.name.removesuffix(".zip").removesuffix(".zarr")


def _store(path: Path) -> Any:
    storage = require("zarr.storage", extra="scale")
    return storage.ZipStore(path, mode="r") if path.is_file() else storage.LocalStore(path)


def _arrays(path: Path) -> dict[str, Any]:
    """All arrays by their names; an array that is alone has none."""
    zarr = require("zarr", extra="scale")
    opened = zarr.open(_store(path), mode="r")
    if isinstance(opened, zarr.Array):
        return {"": opened}
    members = opened.members(max_depth=None)
    return {name: one for name, one in members if isinstance(one, zarr.Array)}


def _array(path: Path, name: str) -> Any:
    zarr = require("zarr", extra="scale")
    store = _store(path)
    return checked(zarr.open_array(store, path=name, mode="r"), store, name=name)
