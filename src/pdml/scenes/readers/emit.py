"""EMIT L2A reflectance: NetCDF (which is HDF5) on the sensor's grid, shown on the map's grid.

The product holds the cube as the sensor saw it, and a look-up table (GLT) that says for each pixel
of a map in longitude and latitude which pixel of the sensor lies there, counted from 1. The scene
is that map; pixels outside of the swath hold the nodata value. Where the swath is denser or sparser
than the map, a pixel of the sensor may stand for several pixels of the map, or for none.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from pdml.errors import InvalidInputError
from pdml.scenes.blocks import by_blocks
from pdml.scenes.georeference import Georeference
from pdml.scenes.hdf5_text import text_of
from pdml.scenes.reader import READERS, StoredArray, reading
from pdml.scenes.scene import CubeSource, Scene
from pdml.scenes.whole import cube_shape
from pdml.scenes.window import Window

if TYPE_CHECKING:
    import h5py

CUBE = "reflectance"
BANDS = "sensor_band_parameters"
GLT_COL, GLT_ROW = "location/glt_x", "location/glt_y"
NODATA = -9999.0
PIECE_PIXELS = 64
"""Side of the squares in which a window is read: a swath lies askew on the map, and the pixels of
the sensor around a long strip of the map would be nearly all there are."""


@dataclass(frozen=True)
class SwathSource:
    """The cube on the sensor's grid."""

    path: Path
    name: str
    shape: tuple[int, int, int]
    dtype: np.dtype[Any]

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """The values inside a window."""
        import h5py

        with reading(self.path), h5py.File(self.path, "r") as file:
            return np.ascontiguousarray(file[self.name][window.slices])


@dataclass(frozen=True)
class OrthoSource:
    """The cube on the map's grid: pixels of the sensor, looked up."""

    path: Path
    swath: CubeSource
    shape: tuple[int, int, int]
    nodata: float

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the stored values."""
        return self.swath.dtype

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """The values inside a window."""
        import h5py

        values = np.full((*window.shape, self.shape[2]), self.nodata, dtype=self.dtype)
        with reading(self.path), h5py.File(self.path, "r") as file:
            rows = np.abs(file[GLT_ROW][window.slices].astype(np.int64))
            cols = np.abs(file[GLT_COL][window.slices].astype(np.int64))
        for top in range(0, len(rows), PIECE_PIXELS):
            for left in range(0, rows.shape[1], PIECE_PIXELS):
                piece = np.s_[top : top + PIECE_PIXELS, left : left + PIECE_PIXELS]
                _fill(values[piece], rows[piece], cols[piece], self.swath)
        return values


@READERS.register
class EmitReader:
    """Reads `.nc` of EMIT."""

    suffixes: ClassVar[tuple[str, ...]] = (".nc",)

    def stored(self, path: Path) -> list[StoredArray]:
        """The cube, with the shape of the map."""
        import h5py

        with h5py.File(path, "r") as file:
            _require_product(path, file)
            return [StoredArray(CUBE, _map_shape(file), file[CUBE].dtype.name)]

    def scene(self, path: Path, name: str) -> Scene:
        """The cube as a scene, read later."""
        import h5py

        with h5py.File(path, "r") as file:
            _require_product(path, file)
            cube, shape = file[name], _map_shape(file)
            nodata = float(np.ravel(cube.attrs.get("_FillValue", NODATA))[0])
            swath = SwathSource(path, name, cube_shape(cube.shape), cube.dtype)
            source = by_blocks(swath, (cube.chunks or (1, cube.shape[1]))[:2])
            if GLT_ROW in file:
                source = OrthoSource(path, source, shape, nodata)
            return Scene(
                source,
                name=path.stem,
                wavelengths_nm=_per_band(file, "wavelengths"),
                good_bands=_good_bands(file),
                nodata=nodata,
                georeference=_georeference(file),
                unit="reflectance",
                about={"sensor": "EMIT"},
            )

    def image(self, path: Path, name: str) -> Shaped[np.ndarray, "row col"]:
        """The one band of a cube that has no more."""
        return self.scene(path, name).read()[..., 0]


def _require_product(path: Path, file: h5py.File) -> None:
    if CUBE not in file or file[CUBE].ndim != 3:
        listed = ", ".join(sorted(file)) or "nothing"
        raise InvalidInputError(
            f"'{path}' must be an EMIT L2A product with a cube '{CUBE}', it holds: {listed}; "
            "convert other NetCDF files to GeoTIFF first, with gdal_translate for example"
        )


def _map_shape(file: h5py.File) -> tuple[int, int, int]:
    n_rows, n_cols, n_bands = file[CUBE].shape
    if GLT_ROW in file:
        n_rows, n_cols = file[GLT_ROW].shape
    return n_rows, n_cols, n_bands


def _fill(
    values: Shaped[np.ndarray, "row col band"],
    rows: Int[np.ndarray, "row col"],
    cols: Int[np.ndarray, "row col"],
    swath: CubeSource,
) -> None:
    """Looks up one piece of the map; the rectangle of the sensor that it needs is read at once."""
    inside = (rows > 0) & (cols > 0)
    if not inside.any():
        return
    row, col = rows[inside] - 1, cols[inside] - 1
    top, left = int(row.min()), int(col.min())
    part = swath.read(Window(top, int(row.max()) + 1, left, int(col.max()) + 1))
    values[inside] = part[row - top, col - left]


def _per_band(file: h5py.File, name: str) -> Float[np.ndarray, " band"] | None:
    stored = file.get(f"{BANDS}/{name}")
    return None if stored is None else np.asarray(stored[()], dtype=np.float64)


def _good_bands(file: h5py.File) -> Bool[np.ndarray, " band"] | None:
    good = _per_band(file, "good_wavelengths")
    return None if good is None else good == 1


def _georeference(file: h5py.File) -> Georeference | None:
    """The place of the map; that of the sensor's grid cannot be told by six numbers."""
    if GLT_ROW not in file or "geotransform" not in file.attrs:
        return None
    x, width, shear_x, y, shear_y, height = (float(one) for one in file.attrs["geotransform"])
    crs = text_of(file.attrs.get("spatial_ref", ""))
    return Georeference((width, shear_x, x, shear_y, height, y), crs)
