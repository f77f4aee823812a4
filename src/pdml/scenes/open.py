"""Opening a file as a scene or a label map: picks the reader and the array, or says why not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import numpy as np
from jaxtyping import Shaped

from pdml.errors import InvalidInputError, MissingFileError, unknown_name
from pdml.scenes.gdal_file import opened
from pdml.scenes.label_raster import RASTER_SUFFIXES, raster_labels
from pdml.scenes.labels import LabelMap
from pdml.scenes.measured_labels import measured_labels
from pdml.scenes.rasterise import rasterise
from pdml.scenes.reader import READERS, Reader, StoredArray, reading
from pdml.scenes.scene import Scene
from pdml.scenes.vector_file import VECTOR_SUFFIXES, read_features

_CUBE = "a cube (row, col, band)"
_LABELS = "a label map (row, col)"

ANY_RASTER = "gdal"
"""The reader of files whose names say nothing: many rasters of ENVI have no suffix at all."""

NAMED_SUFFIXES = VECTOR_SUFFIXES + RASTER_SUFFIXES
"""Files of labels that name their classes; classes without a pixel are left out of them."""


class _Names(TypedDict):
    class_names: Sequence[str]
    colours: Sequence[str]


def open_scene(path: str | Path, *, key: str | None = None, nodata: float | None = None) -> Scene:
    """Opens a hyperspectral image; its values are read later, window by window.

    Args:
        path: A file of any format that `readable_suffixes` lists.
        key: Name of the cube inside the file; found by itself when the file holds only one.
        nodata: The value that marks pixels as not measured; what the file says when None.

    Raises:
        MissingFileError: If there is no such file.
        UnreadableFileError: If the file is truncated or of another kind.
        InvalidInputError: If the suffix is unknown, or not exactly one cube is meant.
    """
    path = _existing(path)
    reader = reader_for(path)
    with reading(path):
        scene = reader.scene(path, _choose(path, reader.stored(path), key, what=_CUBE))
    return scene if nodata is None else scene.with_nodata(nodata)


def open_labels(
    path: str | Path,
    *,
    key: str | None = None,
    class_names: Sequence[str] = (),
    colours: Sequence[str] = (),
    scene: Scene | None = None,
    class_field: str | None = None,
    layer: str | None = None,
) -> LabelMap:
    """Opens labels: an array, a raster that GDAL reads, or polygons and points.

    In arrays and rasters 0 is unlabelled and 1 to K are the classes. A raster's nodata counts as
    unlabelled too; its category names and its colour table name and colour the classes.

    Args:
        path: A file of any format that `readable_suffixes` lists, a GDAL raster (`.tif`, ...), or
            polygons and points (`.gpkg`, `.shp`, `.geojson`, ...).
        key: Name of the label map inside the file; found by itself when the file holds only one.
        class_names: Names of classes 1 to K, where their order is settled.
        colours: Colours of classes 1 to K as `#rrggbb`.
        scene: The scene that is labelled. Polygons and points need it; a raster on another grid is
            brought to it; labels where it was not measured are left out.
        class_field: The attribute of polygons and points that names the classes; found by itself
            when only one can.
        layer: The layer of polygons and points, where the file has several.

    Returns:
        The labels; their `notes` say what was changed or left out.

    Raises:
        MissingFileError: If there is no such file.
        UnreadableFileError: If the file is truncated or of another kind.
        InvalidInputError: If the suffix is unknown, not exactly one label map is meant, the
            values are not labels, or they do not lie on the scene.
    """
    path = _existing(path)
    named: _Names = {"class_names": class_names, "colours": colours}
    if path.suffix.lower() in VECTOR_SUFFIXES:
        features = read_features(path, class_field=class_field, layer=layer)
        labels = rasterise(features, _placing(scene, path), **named)
    elif class_field is not None or layer is not None:
        raise InvalidInputError(
            f"a class field and a layer belong to polygons and points "
            f"({', '.join(VECTOR_SUFFIXES)}), got them with '{path}'; leave them out"
        )
    elif path.suffix.lower() in RASTER_SUFFIXES:
        labels = raster_labels(path, scene, **named)
    else:
        labels = LabelMap.from_array(_image(path, key), **named)
        return labels if scene is None else _on(scene, labels)
    labels = labels if scene is None else _on(scene, labels)
    return labels if class_names else labels.without_empty_classes()


def _placing(scene: Scene | None, path: Path) -> Scene:
    if scene is None:
        raise InvalidInputError(
            f"polygons and points must be placed on a scene, got '{path}' without one; "
            "open the scene first: open_labels(path, scene=scene)"
        )
    return scene


def _image(path: Path, key: str | None) -> Shaped[np.ndarray, "row col"]:
    reader = reader_for(path)
    with reading(path):
        return reader.image(path, _choose(path, reader.stored(path), key, what=_LABELS))


def _on(scene: Scene, labels: LabelMap) -> LabelMap:
    labels.require_shape(scene.shape[:2])
    return measured_labels(labels, scene)


def readable_suffixes() -> dict[str, str]:
    """Every file suffix that can be opened, with the name of its reader."""
    return {suffix: name for name in READERS.names() for suffix in READERS.get(name).suffixes}


def reader_for(path: Path) -> Reader:
    """The reader for a file, by the longest ending of its name that a reader takes.

    What no reader takes by its name is opened by GDAL, if it can.

    Raises:
        InvalidInputError: If none does; all endings that are taken are listed.
    """
    known = readable_suffixes()
    fitting = [suffix for suffix in known if path.name.lower().endswith(suffix)]
    if not fitting and _gdal_opens(path):
        return READERS.get(ANY_RASTER)()
    if not fitting:
        raise InvalidInputError(
            f"'{path}' must end in one of {', '.join(sorted(known))}, got '{path.suffix}'; "
            "convert the file, or rename it if it is one of these"
        )
    # A product may be named by more than its suffix: the longest ending is meant.
    return READERS.get(known[max(fitting, key=len)])()


def _gdal_opens(path: Path) -> bool:
    try:
        with opened(path):
            return True
    except Exception:  # whatever it raises: it does not open the file
        return False


def _existing(path: str | Path) -> Path:
    path = Path(path).expanduser()
    if not path.exists():
        raise MissingFileError(
            f"'{path}' must be a file, but there is none; "
            f"check the path (the current folder is '{Path.cwd()}')"
        )
    return path


def _choose(path: Path, stored: list[StoredArray], key: str | None, *, what: str) -> str:
    """The name of the array that is meant."""
    if key is not None:
        named = {array.name: array for array in stored}
        if key not in named:
            raise unknown_name(f"array in '{path.name}'", key, named)
        if not _is(named[key], what):
            raise InvalidInputError(
                f"'{key}' in '{path}' must be {what}, got {named[key].kind} of shape "
                f"{named[key].shape}; {_others(stored)}"
            )
        return key
    candidates = [array for array in stored if _is(array, what)]
    if not candidates:
        raise InvalidInputError(f"'{path}' must hold {what}, but none is there; {_others(stored)}")
    if len(candidates) > 1:
        listed = ", ".join(str(array) for array in candidates)
        raise InvalidInputError(
            f"'{path}' must hold one array that can be {what}, got {len(candidates)}: {listed}; "
            f'choose with --key NAME on the command line or key="{candidates[0].name}" in Python'
        )
    return candidates[0].name


def _is(array: StoredArray, what: str) -> bool:
    if not array.is_numeric or 0 in array.shape:
        return False
    if what == _CUBE:
        return len(array.shape) == 3
    # Formats made for images hold a single band as (row, col, 1); a line of values is no map.
    one_band = len(array.shape) == 2 or (len(array.shape) == 3 and array.shape[2] == 1)
    return one_band and min(array.shape[:2]) > 1


def _others(stored: list[StoredArray]) -> str:
    listed = ", ".join(f"{array} {array.kind}" for array in stored)
    return f"the file holds: {listed}" if listed else "the file holds no arrays"
