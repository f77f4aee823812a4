"""Rasters of GDAL through rasterio: opening them, and reading their values."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Shaped

from pdml.optional import require
from pdml.scenes.georeference import Georeference
from pdml.scenes.reader import reading
from pdml.scenes.window import Window

CACHE_MEGABYTES = 64
"""What GDAL may keep, if a block of all bands is not larger; left alone it takes 5 % of memory."""


@contextmanager
def opened(dataset: str | Path, *, cache_megabytes: int = CACHE_MEGABYTES) -> Iterator[Any]:
    """A dataset of rasterio, without its warning that a file has no georeference."""
    rasterio = require("rasterio", extra="geo")
    errors = require("rasterio.errors", extra="geo")
    # Formats without compression would read as 0 what is missing at their end.
    options = {"GDAL_CACHEMAX": cache_megabytes, "RAW_CHECK_FILE_SIZE": "YES"}
    with warnings.catch_warnings(), rasterio.Env(**options):
        warnings.simplefilter("ignore", errors.NotGeoreferencedWarning)
        with rasterio.open(dataset) as file:
            yield file


def georeference_of(file: Any) -> Georeference | None:
    """Where the pixels are, if the file says so."""
    if file.transform.is_identity:
        return None
    crs = file.crs.to_wkt() if file.crs else ""
    return Georeference(tuple(file.transform)[:6], crs)


@dataclass(frozen=True)
class GdalSource:
    """Some bands of a raster. The file is opened for each read, so that no handle is shared.

    Attributes:
        path: The file, for messages.
        dataset: What GDAL opens: the file, or a part of it.
        shape: Rows, columns, bands.
        dtype: Type of the values.
        bands: Numbers of the bands in the file, from 1.
        block_bytes: What a block takes with all bands.
        mark: What is written into all bands of pixels that the file's mask leaves out; None if
            it has no mask.
    """

    path: Path
    dataset: str
    shape: tuple[int, int, int]
    dtype: np.dtype[Any]
    bands: tuple[int, ...]
    block_bytes: int
    mark: float | None = None

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """The values inside a window."""
        rows, cols = window.slices
        place = (rows.start, rows.stop), (cols.start, cols.stop)
        # GDAL unpacks a block of all bands at once: what does not fit is unpacked for each band.
        cache = max(CACHE_MEGABYTES, 2 * self.block_bytes // 2**20 + 1)
        with reading(self.path), opened(self.dataset, cache_megabytes=cache) as file:
            stored = _values(file, self.bands, place, self.dtype)
            present = None if self.mark is None else file.dataset_mask(window=place) > 0
        cube: Shaped[np.ndarray, "row col band"] = np.ascontiguousarray(np.moveaxis(stored, 0, 2))
        if present is not None:
            cube[~present] = self.mark
        return cube


def _values(
    file: Any, bands: tuple[int, ...], window: Any, dtype: np.dtype[Any]
) -> Shaped[np.ndarray, "band row col"]:
    values: Shaped[np.ndarray, "band row col"]
    if len(set(file.dtypes)) == 1:
        values = file.read(list(bands), window=window)
    else:  # rasterio refuses to read bands of several types at once
        values = np.stack([file.read(band, window=window).astype(dtype) for band in bands])
    return values
