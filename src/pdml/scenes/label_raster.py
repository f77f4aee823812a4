"""Labels in a raster that GDAL reads, with its names and colours of classes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from jaxtyping import Int32, Shaped

from pdml.errors import InvalidInputError, unknown_name
from pdml.optional import require
from pdml.scenes.gdal_file import georeference_of, opened
from pdml.scenes.georeference import Georeference
from pdml.scenes.labels import LabelMap, whole_numbers
from pdml.scenes.reader import reading
from pdml.scenes.resample import covering_window, same_grid, taken_pixels
from pdml.scenes.scene import Scene

RASTER_SUFFIXES = (
    ".tif", ".tiff", ".vrt", ".img", ".dat", ".bsq", ".bil", ".bip", ".asc", ".png"
)  # fmt: skip
"""Files whose labels are read by GDAL, which also knows names, colours and where the pixels are."""


@dataclass(frozen=True)
class LabelRaster:
    """Labels as they lie in a file.

    Attributes:
        codes: 0 where there is no label.
        georeference: Where the pixels are, if the file says so.
        names: Names of classes by code.
        colours: Colours by code.
        notes: What was left out.
    """

    codes: Int32[np.ndarray, "row col"]
    georeference: Georeference | None
    names: dict[int, str]
    colours: dict[int, str]
    notes: tuple[str, ...] = ()


def raster_labels(
    path: Path,
    scene: Scene | None,
    *,
    class_names: Sequence[str] = (),
    colours: Sequence[str] = (),
) -> LabelMap:
    """Labels from a raster, on the grid of a scene.

    Args:
        path: The raster, with one band.
        scene: The scene; the labels stay on their own grid without one.
        class_names: The classes in their order, if that is settled.
        colours: Their colours.

    Raises:
        UnreadableFileError: If the file is truncated or of another kind.
        InvalidInputError: If it has several bands, its values are not labels, or it does not lie
            on the scene.
    """
    with reading(path), opened(path) as file:
        where = georeference_of(file)
        if scene is None or same_grid(where, (file.height, file.width), scene):
            raster = _read(file, path)
            codes, notes = raster.codes, raster.notes
        else:
            window, corner = covering_window(where, (file.height, file.width), scene, path.name)
            raster = _read(file, path, window=window)
            codes, note = taken_pixels(raster.codes, corner, scene, path.name)
            notes = (*raster.notes, note)
    if not codes.any():
        raise InvalidInputError(
            f"labels must mark at least one pixel of the scene with a class from 1 upwards, but "
            f"'{path}' marks none; 0 and nodata mean unlabelled"
        )
    return _named(codes, raster, notes, class_names=class_names, colours=colours)


def _read(file: Any, path: Path, window: Any = None) -> LabelRaster:
    if file.count != 1:
        raise InvalidInputError(
            f"labels must be a raster of one band, '{path}' has {file.count}; "
            "write the band with the classes to a file of its own"
        )
    values = file.read(1, window=window)
    present = file.read_masks(1, window=window) > 0
    codes = whole_numbers(np.where(present, values, values.dtype.type(0)))
    n_zero = int((present & (codes == 0)).sum())
    notes: tuple[str, ...] = ()
    if n_zero and file.nodata not in (None, 0):
        notes = (
            f"0 means unlabelled, also in {path.name}, whose nodata value is {file.nodata:g}: "
            f"{n_zero} pixels; if 0 is a class there, number the classes from 1.",
        )
    return LabelRaster(codes, None, _category_names(file), _colour_table(file), notes)


def _category_names(file: Any) -> dict[int, str]:
    """Names by code. rasterio does not hand them out, but GDAL writes them into a VRT."""
    shutil, memory = (require(f"rasterio.{name}", extra="geo") for name in ("shutil", "io"))
    with memory.MemoryFile(ext=".vrt") as virtual:
        shutil.copy(file, virtual.name, driver="VRT")
        listed = ElementTree.fromstring(virtual.read()).findall(".//CategoryNames/Category")
    return {code: name for code, one in enumerate(listed) if (name := (one.text or "").strip())}


def _colour_table(file: Any) -> dict[int, str]:
    try:
        table = file.colormap(1)
    except ValueError:  # the file has none
        return {}
    return {code: "#{:02x}{:02x}{:02x}".format(*rgba[:3]) for code, rgba in table.items()}


def _named(
    codes: Int32[np.ndarray, "row col"],
    raster: LabelRaster,
    notes: tuple[str, ...],
    *,
    class_names: Sequence[str],
    colours: Sequence[str],
) -> LabelMap:
    """Numbers the classes that there are from 1, or as settled."""
    present: Shaped[np.ndarray, " n"] = np.unique(codes[codes > 0])
    names = _distinct_names(present.tolist(), raster.names)
    order = tuple(class_names) or tuple(names)
    if not raster.names and not all(re.fullmatch(r"class \d+", name) for name in order):
        # The file names nothing: the names that were settled are those of codes 1 to K.
        return replace(LabelMap.from_array(codes, class_names=order, colours=colours), notes=notes)
    unexpected = sorted(set(names) - set(order))
    if unexpected:
        raise unknown_name("class in the labels", unexpected[0], order)
    number = np.zeros(int(present.max()) + 1, dtype=np.int32)
    number[present] = [order.index(name) + 1 for name in names]
    found = [raster.colours.get(code, "") for code in present.tolist()]
    if not class_names and all(found) and len(set(found)) == len(found):
        colours = found
    return LabelMap(number[codes], order, tuple(colours), notes=notes)


def _distinct_names(codes: list[int], known: dict[int, str]) -> list[str]:
    names = [known.get(code, f"class {code}") for code in codes]
    return [
        name if names.count(name) == 1 else f"{name} ({code})"
        for code, name in zip(codes, names, strict=True)
    ]
