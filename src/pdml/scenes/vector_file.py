"""Polygons and points from a file, each with the value of one attribute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Shaped

from pdml.errors import InvalidInputError
from pdml.optional import require
from pdml.scenes.reader import reading

VECTOR_SUFFIXES = (".gpkg", ".shp", ".geojson", ".json", ".fgb", ".kml", ".gml")

_TEXT_OR_WHOLE = ("object", "int", "uint", "bool")


@dataclass(frozen=True)
class Features:
    """What was drawn: n geometries with one value each.

    Attributes:
        geometries: Shapely geometries; None where the file has none.
        values: Value of the class field; None or NaN where the file has none.
        crs: Their coordinate reference system, as GDAL names it; empty where the file does not.
        source: Name of the file, for messages.
        field: Name of the class field.
    """

    geometries: Shaped[np.ndarray, " n"]
    values: Shaped[np.ndarray, " n"]
    crs: str
    source: str
    field: str


def read_features(
    path: Path, *, class_field: str | None = None, layer: str | None = None
) -> Features:
    """Reads all features of one layer.

    Args:
        path: A file whose suffix is one of `VECTOR_SUFFIXES`.
        class_field: The attribute that names the classes; found by itself if only one can.
        layer: Which layer; needed if there are several.

    Raises:
        UnreadableFileError: If the file is truncated or of another kind.
        InvalidInputError: If layer or field are absent or not clear; those that there are, are
            listed.
    """
    pyogrio, shapely = require("pyogrio", extra="geo"), require("shapely", extra="geo")
    with reading(path):
        layer = _chosen_layer(path, layer)
        info = pyogrio.read_info(path, layer=layer)
        types = dict(zip(info["fields"].tolist(), map(str, info["dtypes"]), strict=True))
        wanted = [*types] if class_field is None else [_existing(path, class_field, types)]
        about, _, stored, columns = pyogrio.raw.read(path, layer=layer, columns=wanted)
        known = dict(zip(about["fields"].tolist(), columns, strict=True))
        field = class_field or _only_candidate(path, known, types)
        geometries = shapely.from_wkb(stored)
    return Features(geometries, known[field], about["crs"] or "", path.name, field)


def _chosen_layer(path: Path, layer: str | None) -> str:
    layers = require("pyogrio", extra="geo").list_layers(path)
    names = [str(name) for name, geometry in layers if geometry is not None]
    if layer is None and len(names) == 1:
        return names[0]
    listed = ", ".join(names)
    if not names:
        raise InvalidInputError(
            f"'{path}' must hold polygons or points, but it has no layer of geometries"
        )
    if layer is None:
        raise InvalidInputError(
            f"'{path}' has {len(names)} layers: {listed}; choose one with --layer NAME on the "
            f'command line or layer="{names[0]}" in Python'
        )
    if layer not in names:
        raise InvalidInputError(
            f"'{path}' has no layer '{layer}'; its layers are: {listed}; choose one with --layer"
        )
    return layer


def _existing(path: Path, field: str, types: Mapping[str, str]) -> str:
    if field not in types:
        raise InvalidInputError(
            f"'{path}' has no field '{field}'; its fields are: {', '.join(types) or 'none'}; "
            "name one of them with --class-field"
        )
    return field


def _only_candidate(path: Path, known: Mapping[str, Any], types: Mapping[str, str]) -> str:
    """The one field that can name classes.

    A number that is different for every feature names the feature, not its class. It counts only
    if there is nothing else.
    """
    fields = [name for name, kind in types.items() if kind.startswith(_TEXT_OR_WHOLE)]
    repeating = [name for name in fields if len(set(known[name].tolist())) < len(known[name])]
    candidates = repeating if len(fields) > 1 and repeating else fields
    if len(candidates) != 1:
        listed = ", ".join(fields or types) or "none"
        raise InvalidInputError(
            f"'{path}' must have one field of text or whole numbers that names the classes, got "
            f"{len(candidates)} that could; its fields are: {listed}; "
            "choose one with --class-field NAME"
        )
    return candidates[0]
