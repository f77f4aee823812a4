"""`Scene`: a hyperspectral image that is read in windows, with what is known about it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from jaxtyping import Bool, Float, Shaped

from pdml.errors import InvalidInputError
from pdml.scenes.georeference import Georeference
from pdml.scenes.window import Window


class CubeSource(Protocol):
    """Where a scene's values come from; one small class per file format.

    A source is cheap to make (it has read a header at most) and cheap to pickle.
    """

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns, bands."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the stored values."""

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """The values inside a window, each pixel's spectrum contiguous."""


@dataclass(frozen=True)
class ArraySource:
    """A cube that is in memory already (or memory-mapped)."""

    array: Shaped[np.ndarray, "row col band"]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns, bands."""
        n_rows, n_cols, n_bands = self.array.shape
        return n_rows, n_cols, n_bands

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the stored values."""
        return self.array.dtype

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """The values inside a window."""
        return np.ascontiguousarray(self.array[window.slices])


@dataclass(frozen=True)
class ChosenBands:
    """Which bands of a file a scene consists of.

    Attributes:
        numbers: Their numbers in the file, from 0, in the order of the scene.
        n_in_file: How many the file has.
    """

    numbers: tuple[int, ...]
    n_in_file: int

    @property
    def left_out(self) -> list[int]:
        """The other bands of the file."""
        return sorted(set(range(self.n_in_file)) - set(self.numbers))


@dataclass(frozen=True)
class Scene:
    """A hyperspectral image.

    Attributes:
        source: Where the values come from.
        name: What people call it; used in titles and file names.
        wavelengths_nm: Centre of each band in nanometres, where known.
        good_bands: Which bands the producer of the file calls usable; None where it says nothing.
        nodata: The value that marks a pixel as not measured, where there is one.
        georeference: Where on earth the pixels are, where known.
        unit: Unit of the values, where the file names one.
        chosen: Which bands of the file these are; None for all.
        about: Anything else worth showing in a report (sensor, resolution, `twin = True`).
    """

    source: CubeSource
    name: str = "scene"
    wavelengths_nm: Float[np.ndarray, " band"] | None = None
    good_bands: Bool[np.ndarray, " band"] | None = None
    nodata: float | None = None
    georeference: Georeference | None = None
    unit: str = ""
    chosen: ChosenBands | None = None
    about: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n_bands = self.source.shape[2]
        if self.wavelengths_nm is not None and len(self.wavelengths_nm) != n_bands:
            raise InvalidInputError(
                f"a scene needs one wavelength per band: got {len(self.wavelengths_nm)} "
                f"wavelengths for {n_bands} bands; pass wavelengths_nm=None if they are not known"
            )

    @classmethod
    def from_array(cls, cube: Shaped[np.ndarray, "row col band"], **known: Any) -> Scene:
        """A scene from an array in memory.

        Args:
            cube: Values as (row, col, band).
            known: Any other attribute of the scene.

        Raises:
            InvalidInputError: If the array is not a numeric cube.
        """
        if cube.ndim != 3 or 0 in cube.shape:
            raise InvalidInputError(
                f"a scene must be a cube (row, col, band), got an array of shape {cube.shape}; "
                "for a single band add an axis: array[:, :, None]"
            )
        if cube.dtype.kind not in "uif":
            raise InvalidInputError(
                f"a scene must hold real numbers, got values of type {cube.dtype}; "
                "convert it first: cube.astype('float32')"
            )
        return cls(ArraySource(cube), **known)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns, bands."""
        return self.source.shape

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.source.shape[0]

    @property
    def n_cols(self) -> int:
        """Number of columns."""
        return self.source.shape[1]

    @property
    def n_bands(self) -> int:
        """Number of bands."""
        return self.source.shape[2]

    @property
    def band_numbers(self) -> tuple[int, ...]:
        """The numbers of the bands in their file, from 0."""
        return self.chosen.numbers if self.chosen else tuple(range(self.n_bands))

    def read(self, window: Window | None = None) -> Shaped[np.ndarray, "row col band"]:
        """Reads a window, or the whole scene, as it is stored."""
        return self.source.read(window or Window(0, self.n_rows, 0, self.n_cols))

    def measured(self, cube: Shaped[np.ndarray, "row col band"]) -> Bool[np.ndarray, "row col"]:
        """Which pixels of a window that was read were measured, going by `nodata`.

        A pixel counts as missing when all its bands hold the nodata value, or any band is NaN
        while nodata is NaN.
        """
        if self.nodata is None:
            return np.ones(cube.shape[:2], dtype=bool)
        if np.isnan(self.nodata):
            present: Bool[np.ndarray, "row col"] = ~np.isnan(cube).any(axis=2)
        else:
            present = (cube != self.nodata).any(axis=2)
        return present

    def with_nodata(self, nodata: float) -> Scene:
        """The same scene with another nodata value."""
        return replace(self, nodata=nodata)
