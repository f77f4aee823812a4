"""PRISMA L2D reflectance: HDF-EOS5 with one cube per spectrometer, on a UTM grid.

The two cubes, VNIR and SWIR, are stored as (row, band, col), with the longest wavelength first.
The scene has their bands in one cube, those of VNIR and then those of SWIR, each from short to long
wavelengths; the two overlap between about 920 and 1010 nm. Bands that were not transmitted are left
out. Whole numbers are turned into reflectance with the limits that the product states.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from jaxtyping import Float, Shaped

from pdml.errors import InvalidInputError
from pdml.scenes.blocks import by_blocks
from pdml.scenes.georeference import Georeference
from pdml.scenes.reader import READERS, StoredArray, reading
from pdml.scenes.scene import Scene
from pdml.scenes.window import Window

if TYPE_CHECKING:
    import h5py

CUBE = "reflectance"
FIELDS = "HDFEOS/SWATHS/PRS_L2D_HCO/Data Fields"
SPECTROMETERS = ("Vnir", "Swir")
LARGEST_NUMBER = 65535
NODATA = -9999.0
"""Stands where all numbers of a pixel are 0, which is what lies outside of the swath."""


@dataclass(frozen=True)
class _Part:
    """What one spectrometer contributes: a cube, its bands in order, and its scale."""

    field: str
    bands: tuple[int, ...]
    wavelengths_nm: tuple[float, ...]
    lowest: float
    highest: float


@dataclass(frozen=True)
class PrismaSource:
    """Both cubes as one, in reflectance.

    Attributes:
        path: The file.
        shape: Rows, columns, bands of both.
        parts: What each spectrometer contributes.
        block: Rows and columns that are stored together.
    """

    path: Path
    shape: tuple[int, int, int]
    parts: tuple[_Part, ...]
    block: tuple[int, int]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values once they are reflectance."""
        return np.dtype(np.float32)

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """The values inside a window."""
        import h5py

        values = np.empty((*window.shape, self.shape[2]), dtype=np.float32)
        is_empty = np.ones(window.shape, dtype=bool)
        begin, (rows, cols) = 0, window.slices
        with reading(self.path), h5py.File(self.path, "r") as file:
            for part in self.parts:
                stored = file[part.field][rows, :, cols].transpose(0, 2, 1)[..., list(part.bands)]
                is_empty &= (stored == 0).all(axis=2)
                scale = np.float32((part.highest - part.lowest) / LARGEST_NUMBER)
                target = values[..., begin : begin + len(part.bands)]
                np.multiply(stored, scale, out=target, dtype=np.float32)
                target += np.float32(part.lowest)
                begin += len(part.bands)
        values[is_empty] = NODATA
        return values


@READERS.register
class PrismaReader:
    """Reads `.he5` of PRISMA."""

    suffixes: ClassVar[tuple[str, ...]] = (".he5",)

    def stored(self, path: Path) -> list[StoredArray]:
        """The bands of both spectrometers as one cube."""
        return [StoredArray(CUBE, _source(path).shape, "float32")]

    def scene(self, path: Path, name: str) -> Scene:
        """The cube as a scene, read later."""
        import h5py

        source = _source(path)
        with h5py.File(path, "r") as file:
            georeference = _georeference(file.attrs, source.shape)
        return Scene(
            by_blocks(source, source.block),
            name=path.stem,
            wavelengths_nm=np.array([nm for part in source.parts for nm in part.wavelengths_nm]),
            nodata=NODATA,
            georeference=georeference,
            unit="reflectance",
            about={"sensor": "PRISMA"},
        )

    def image(self, path: Path, name: str) -> Shaped[np.ndarray, "row col"]:
        """The one band of a cube that has no more."""
        return self.scene(path, name).read()[..., 0]


def _source(path: Path) -> PrismaSource:
    import h5py

    with h5py.File(path, "r") as file:
        if any(f"{FIELDS}/{name.upper()}_Cube" not in file for name in SPECTROMETERS):
            raise InvalidInputError(
                f"'{path}' must be a PRISMA L2D product, which has the cubes VNIR_Cube and "
                f"SWIR_Cube in {FIELDS}, they are not there; order or convert the scene as L2D"
            )
        parts = tuple(_part(file, name) for name in SPECTROMETERS)
        n_rows, _, n_cols = file[parts[0].field].shape
        stored = [file[part.field].chunks or (1, 1, n_cols) for part in parts]
    block = max(chunk[0] for chunk in stored), max(chunk[2] for chunk in stored)
    n_bands = sum(len(part.bands) for part in parts)
    return PrismaSource(path, (n_rows, n_cols, n_bands), parts, block)


def _part(file: h5py.File, name: str) -> _Part:
    attributes = file.attrs
    wavelengths: Float[np.ndarray, " band"] = np.ravel(attributes[f"List_Cw_{name}"]).astype(float)
    flags = np.ravel(attributes.get(f"List_Cw_{name}_Flags", wavelengths > 0))
    present = np.flatnonzero((flags != 0) & (wavelengths > 0))
    bands = present[np.argsort(wavelengths[present], kind="stable")]
    lowest, highest = (
        float(np.ravel(attributes[f"L2Scale{name}{end}"])[0]) for end in ("Min", "Max")
    )
    return _Part(
        f"{FIELDS}/{name.upper()}_Cube",
        tuple(int(band) for band in bands),
        tuple(float(nm) for nm in wavelengths[bands]),
        lowest,
        highest,
    )


def _georeference(attributes: h5py.AttributeManager, shape: tuple[int, int, int]) -> Georeference:
    """From the corners, which are centres of pixels, to the corner of the first pixel."""

    def number(name: str) -> float:
        return float(np.ravel(attributes[name])[0])

    n_rows, n_cols, _ = shape
    left, top = number("Product_ULcorner_easting"), number("Product_ULcorner_northing")
    width = (number("Product_LRcorner_easting") - left) / max(1, n_cols - 1)
    height = (number("Product_LRcorner_northing") - top) / max(1, n_rows - 1)
    transform = (width, 0.0, left - width / 2, 0.0, height, top - height / 2)
    return Georeference(transform, _utm(int(number("Epsg_Code"))))


def _utm(epsg: int) -> str:
    from pdml.scenes.crs import parsed

    return str(parsed(f"EPSG:{epsg}").to_wkt())
