"""A map as GeoTIFF: classes with a colour table in one file, the measures of doubt in another.

Two files, because a TIFF has one type of value: whole numbers keep the colour table, and QGIS shows
a legend by itself.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import pdml
from pdml.errors import StorageError
from pdml.inference.categories import Categories
from pdml.inference.layers import CLASSES, DOUBTS, Layers, doubts_in, windows
from pdml.inference.legend_files import aux_xml, qml
from pdml.optional import require
from pdml.scenes.georeference import Georeference

BLOCK = 256
COLS_AT_ONCE = 16 * BLOCK
CACHE_MEGABYTES = 64


def companions(name: str) -> list[str]:
    """Files that are written beside a map `name`, in the order in which they appear."""
    stem = Path(name).stem
    return [f"{stem}.qml", f"{name}.aux.xml", f"{stem}_confidence{Path(name).suffix}"]


def write_geotiff(
    path: Path,
    layers: Layers,
    categories: Categories,
    *,
    georeference: Georeference | None = None,
    about: dict[str, str] | None = None,
    cog: bool = False,
) -> None:
    """Writes a map and what belongs beside it; the same map always gives the same bytes.

    Args:
        path: The file with the classes; for the others see `companions`.
        layers: The map.
        categories: Names and colours of its codes.
        georeference: Where it is.
        about: Remarks that are kept in the files.
        cog: Write cloud-optimised files, with overviews.

    Raises:
        MissingExtraError: If rasterio is not installed.
        StorageError: If a file cannot be written.
    """
    style, sidecar, confidence = (path.with_name(name) for name in companions(path.name))
    tags = {"software": f"pdml {pdml.__version__}", **(about or {})}
    doubts = doubts_in(layers.dtype)
    of_classes = _Raster([CLASSES], categories.dtype, 0, {"predictor": 1}, "nearest")
    rasters = [(path, of_classes)]
    if doubts:  # a model without probabilities has none
        of_doubts = _Raster(doubts, np.dtype(np.float32), np.nan, {"predictor": 3}, "average")
        rasters.append((confidence, of_doubts))
    for place, raster in rasters:
        with _clear_errors(place):
            first = place.with_suffix(".plain.tif") if cog else place
            raster.write(first, layers, georeference, tags, categories)
            if cog:
                raster.copy_as_cog(first, place)
            raster.require_same(place, layers)
    with _clear_errors(path):
        style.write_text(qml(categories), encoding="utf-8")
        sidecar.write_text(aux_xml(categories), encoding="utf-8")


class _Raster:
    """Some layers in one file."""

    def __init__(
        self,
        fields: list[str],
        dtype: np.dtype[Any],
        nodata: float,
        creation: dict[str, Any],
        overviews: str,
    ) -> None:
        self.fields = fields
        self.dtype = dtype
        self.nodata = nodata
        self.creation = {"compress": "deflate", **creation}
        self.overviews = overviews

    def write(
        self,
        path: Path,
        layers: Layers,
        georeference: Georeference | None,
        tags: dict[str, str],
        categories: Categories,
    ) -> None:
        """Writes the file, a row of blocks at a time."""
        rasterio = require("rasterio", extra="geo")
        profile = {
            "driver": "GTiff",
            "height": layers.shape[0],
            "width": layers.shape[1],
            "count": len(self.fields),
            "dtype": self.dtype.name,
            "nodata": self.nodata,
            "tiled": True,
            "blockxsize": BLOCK,
            "blockysize": BLOCK,
            "interleave": "band",
            "bigtiff": "if_safer",
            **self.creation,
        }
        if georeference is not None:
            profile["transform"] = rasterio.Affine(*georeference.transform)
            profile["crs"] = georeference.crs or None
        with rasterio.open(path, "w", **profile) as file:
            file.update_tags(**tags)
            for band, field in enumerate(self.fields, start=1):
                file.set_band_description(band, "class" if field == CLASSES else field)
                file.update_tags(band, about=DOUBTS.get(field, "class of the pixel"))
            if self.fields == [CLASSES]:
                file.write_colormap(1, dict(enumerate(categories.rgba)))
                names = {f"class_{code}": name for code, name in enumerate(categories.names)}
                file.update_tags(1, **names)
            for window in windows(layers.shape, rows=BLOCK, cols=COLS_AT_ONCE):
                found = layers.read(window)
                for band, field in enumerate(self.fields, start=1):
                    file.write(
                        np.ascontiguousarray(found[field]), band, window=_window(window.slices)
                    )

    def copy_as_cog(self, plain: Path, path: Path) -> None:
        """Turns the file into a cloud-optimised one."""
        require("rasterio", extra="geo")
        from rasterio.shutil import copy

        predictor = "FLOATING_POINT" if self.creation["predictor"] == 3 else "NO"
        copy(
            plain,
            path,
            driver="COG",
            compress="DEFLATE",
            predictor=predictor,
            blocksize=BLOCK,
            overview_resampling=self.overviews,
        )
        plain.unlink()

    def require_same(self, path: Path, layers: Layers) -> None:
        """Reads the file back: a disk that is full when GDAL closes a file raises nothing.

        Raises:
            StorageError: If it is not what was written.
        """
        rasterio = require("rasterio", extra="geo")
        with rasterio.open(path) as file:
            for window in windows(layers.shape, rows=BLOCK, cols=COLS_AT_ONCE):
                found = layers.read(window)
                for band, field in enumerate(self.fields, start=1):
                    stored = file.read(band, window=_window(window.slices))
                    if not np.array_equal(stored, found[field], equal_nan=self.dtype.kind == "f"):
                        raise OSError(f"what was written into {path.name} does not read back")


def _window(slices: tuple[slice, slice]) -> tuple[tuple[int, int], tuple[int, int]]:
    rows, cols = slices
    return (rows.start, rows.stop), (cols.start, cols.stop)


@contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    """Turns what GDAL raises into one clear error, and keeps its cache small and its warnings in.

    Raises:
        StorageError: If the block failed.
    """
    rasterio = require("rasterio", extra="geo")
    from rasterio._err import CPLE_BaseError
    from rasterio.errors import NotGeoreferencedWarning, RasterioError

    try:
        with warnings.catch_warnings(), rasterio.Env(GDAL_CACHEMAX=CACHE_MEGABYTES):
            warnings.simplefilter("ignore", NotGeoreferencedWarning)
            yield
    except StorageError:
        raise
    except (OSError, RasterioError, CPLE_BaseError) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise StorageError(
            f"cannot write {path.name}: {reason}; nothing was changed under that name, free some "
            "space and repeat the command: what is mapped already is kept"
        ) from error
