"""A scene from a raster of GDAL, with all that the file knows of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Shaped

from pdml.scenes.band_metadata import good_bands_of, scale_of, unit_of, wavelengths_of
from pdml.scenes.blocks import by_blocks
from pdml.scenes.calibrated import calibrated
from pdml.scenes.gdal_file import GdalSource, georeference_of, opened
from pdml.scenes.reader import StoredArray
from pdml.scenes.scene import Scene

ALPHA = "alpha"


def gdal_arrays(path: Path) -> list[StoredArray]:
    """What is in a file: its bands as one cube, or the parts that it consists of."""
    with opened(path) as file:
        parts = [] if file.count else file.subdatasets
        if not parts:
            return [_array(path.stem, file)]
    arrays = []
    for part in parts:
        with opened(part) as file:
            arrays.append(_array(_name(part), file))
    return arrays


def gdal_scene(path: Path, name: str) -> Scene:
    """The cube as a scene.

    Wavelengths, usable bands, nodata, scale, offset and mask are taken from the file.

    Args:
        path: The file.
        name: The array's name in `gdal_arrays`.
    """
    dataset = _dataset(path, name)
    with opened(dataset) as file:
        bands = _spectral_bands(file)
        dtype = _dtype(file, bands)
        missing = [file.nodatavals[band - 1] for band in bands]
        mark = _mark(dtype) if _has_mask(file, bands) else None
        block = _block(file)
        shape = file.height, file.width, len(bands)
        n_block_bytes = block[0] * block[1] * file.count * dtype.itemsize
        stored = GdalSource(path, dataset, shape, dtype, bands, n_block_bytes, mark)
        source, nodata = calibrated(
            by_blocks(stored, block),
            scales=[file.scales[band - 1] * scale_of(file) for band in bands],
            offsets=[file.offsets[band - 1] for band in bands],
            missing=missing if mark is None else [mark] * len(bands),
        )
        return Scene(
            source,
            name=path.stem,
            wavelengths_nm=wavelengths_of(file, bands),
            good_bands=good_bands_of(file, bands),
            nodata=nodata,
            georeference=georeference_of(file),
            unit=unit_of(file, bands),
        )


def gdal_image(path: Path, name: str) -> Shaped[np.ndarray, "row col"]:
    """The first band, read at once."""
    with opened(_dataset(path, name)) as file:
        values: Shaped[np.ndarray, "row col"] = file.read(1)
    return values


def _array(name: str, file: Any) -> StoredArray:
    _require_whole(file)
    bands = _spectral_bands(file)
    return StoredArray(name, (file.height, file.width, len(bands)), _dtype(file, bands).name)


def _require_whole(file: Any) -> None:
    """Refuses a raw file that is shorter than its header says: GDAL reads 0 where it ends."""
    header = file.tags(ns="ENVI")
    if file.driver != "ENVI" or header.get("file_compression", "0") != "0":
        return
    n_values = file.height * file.width * file.count
    needed = int(header.get("header_offset", 0)) + n_values * np.dtype(file.dtypes[0]).itemsize
    there = Path(file.name).stat().st_size
    if there < needed:
        raise OSError(f"it has {there} bytes, its header says {needed}")


def _dataset(path: Path, name: str) -> str:
    with opened(path) as file:
        parts = [] if file.count else file.subdatasets
    return next((part for part in parts if _name(part) == name), str(path))


def _name(part: str) -> str:
    """The name of a part: what stands last in `HDF5:"file.h5"://group/cube`."""
    return part.rpartition(":")[2].lstrip("/")


def _spectral_bands(file: Any) -> tuple[int, ...]:
    """All bands but one that says how opaque a pixel is."""
    return tuple(
        band
        for band, kind in zip(file.indexes, file.colorinterp, strict=True)
        if kind.name != ALPHA
    )


def _dtype(file: Any, bands: tuple[int, ...]) -> np.dtype[Any]:
    kinds = [np.dtype(file.dtypes[band - 1]) for band in bands]
    return np.result_type(*kinds) if kinds else np.dtype(np.uint8)


def _block(file: Any) -> tuple[int, int]:
    shapes = file.block_shapes or [(1, file.width)]
    return max(rows for rows, _ in shapes), max(cols for _, cols in shapes)


def _has_mask(file: Any, bands: tuple[int, ...]) -> bool:
    """Whether a mask or an alpha band says which pixels there are, instead of a nodata value."""
    flags = {flag.name for band in bands for flag in file.mask_flag_enums[band - 1]}
    return not flags & {"all_valid", "nodata"}


def _mark(dtype: np.dtype[Any]) -> float:
    """A value that in all bands at once means nothing: NaN, or the outermost whole number."""
    if dtype.kind == "f":
        return float("nan")
    limits = np.iinfo(dtype)
    return float(limits.min if dtype.kind == "i" else limits.max)
