"""Where features lie in a scene: their geometries in columns and rows of its pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int32, Shaped

from pdml.errors import InvalidInputError
from pdml.optional import require
from pdml.scenes.crs import crs_name, extent_text, moved, same_crs
from pdml.scenes.georeference import Georeference
from pdml.scenes.scene import Scene
from pdml.scenes.vector_file import Features


@dataclass(frozen=True)
class Placed:
    """Features in pixel coordinates: x is the column and y the row, whole numbers are corners.

    Attributes:
        geometries: Valid polygons and points; None where a feature is left out.
        codes: Their classes from 1; 0 where a feature is left out.
        bounds: Smallest column and row, then largest; NaN where a feature is left out.
        areas: In pixels.
        is_point: Whether it is a point or several.
        inside: Whether it touches the scene.
        georeference: Where the scene is.
        kind: "polygons", "points", or "features" if there are both.
        notes: What was left out or mended.
    """

    geometries: Shaped[np.ndarray, " n"]
    codes: Int32[np.ndarray, " n"]
    bounds: Float[np.ndarray, "n 4"]
    areas: Float[np.ndarray, " n"]
    is_point: Bool[np.ndarray, " n"]
    inside: Bool[np.ndarray, " n"]
    georeference: Georeference
    kind: str
    notes: tuple[str, ...]

    @property
    def n_inside(self) -> int:
        """Number of features that touch the scene."""
        return int(self.inside.sum())


def place_features(features: Features, codes: Int32[np.ndarray, " n"], scene: Scene) -> Placed:
    """Moves features into the pixel coordinates of a scene.

    Args:
        features: What was drawn.
        codes: Class of each, from 1; 0 for those without one.
        scene: The scene.

    Raises:
        InvalidInputError: If the scene does not say where it is, there is no polygon and no point
            with a class, or all of them are outside the scene.
    """
    shapely = require("shapely", extra="geo")
    where = _georeference(scene, features)
    geometries, is_point = _polygons_and_points(features)
    usable = (geometries != None) & (codes > 0)  # noqa: E711 - element by element
    notes = _left_out(features, usable)
    kind = _kind(is_point[usable])
    if not usable.any():
        raise InvalidInputError(
            f"{features.source} must hold polygons or points with a value in "
            f"'{features.field}', got {len(usable)} features without; {' '.join(notes)}"
        )
    geometries[~usable] = None
    invalid = usable & ~shapely.is_valid(geometries)
    if invalid.any():
        geometries[invalid] = [_mended(geometry) for geometry in geometries[invalid]]
        notes.append(f"{int(invalid.sum())} invalid {kind} (they cross themselves) were mended.")
    if not features.crs:
        notes.append(
            f"{features.source} names no CRS; it is taken to be that of the scene, "
            f"{crs_name(where.crs)}."
        )
    mapped = _reprojected(geometries, features.crs, where.crs)
    placed = shapely.transform(mapped, where.pixels)
    bounds = shapely.bounds(placed)
    size = scene.shape[1::-1]
    inside = usable & (bounds[:, 2:] >= 0).all(axis=1) & (bounds[:, :2] <= size).all(axis=1)
    if not inside.any():
        raise _misses(features, mapped, kind, where, scene.shape[:2])
    within = usable & (bounds[:, :2] >= 0).all(axis=1) & (bounds[:, 2:] <= size).all(axis=1)
    notes += _outside(kind, usable, inside, within)
    areas = np.nan_to_num(shapely.area(placed))
    codes = np.where(usable, codes, 0)
    return Placed(placed, codes, bounds, areas, is_point, inside, where, kind, tuple(notes))


def _georeference(scene: Scene, features: Features) -> Georeference:
    if scene.georeference is None:
        raise InvalidInputError(
            f"polygons and points need a scene that says where its pixels are, '{scene.name}' does "
            f"not; use a file with a georeference, such as GeoTIFF, for {features.source}, or give "
            "the labels as an array of the scene's size"
        )
    if not scene.georeference.crs:
        raise InvalidInputError(
            f"polygons and points need a scene with a CRS, '{scene.name}' has none; say which one "
            'it is in: --crs EPSG:32633 on the command line, with_crs(scene, "EPSG:32633") in '
            "Python"
        )
    return scene.georeference


def _polygons_and_points(
    features: Features,
) -> tuple[Shaped[np.ndarray, " n"], Bool[np.ndarray, " n"]]:
    """The geometries without lines and empty ones, and which of them are points."""
    shapely = require("shapely", extra="geo")
    types = shapely.get_type_id(features.geometries)
    kinds = shapely.GeometryType
    is_point = np.isin(types, [kinds.POINT, kinds.MULTIPOINT])
    is_polygon = np.isin(types, [kinds.POLYGON, kinds.MULTIPOLYGON])
    usable = (is_point | is_polygon) & ~shapely.is_empty(features.geometries)
    flat: Shaped[np.ndarray, " n"] = shapely.force_2d(features.geometries)
    flat[~usable] = None
    return flat, is_point


def _mended(polygon: Any) -> Any:
    """A valid polygon of the same area; what collapses to lines on the way is dropped."""
    shapely = require("shapely", extra="geo")
    parts = shapely.get_parts(shapely.make_valid(polygon))
    return shapely.union_all(parts[shapely.area(parts) > 0])


def _reprojected(
    geometries: Shaped[np.ndarray, " n"], source: str, target: str
) -> Shaped[np.ndarray, " n"]:
    """Geometries in another CRS; None for one that has no place there."""
    shapely = require("shapely", extra="geo")
    if same_crs(source, target):
        return geometries
    try:
        together: Shaped[np.ndarray, " n"] = shapely.transform(
            geometries, lambda xy: moved(xy, source, target)
        )
    except ArithmeticError:
        return np.array([_alone(one, source, target) for one in geometries], dtype=object)
    return together


def _alone(geometry: Any, source: str, target: str) -> Any:
    shapely = require("shapely", extra="geo")
    try:
        return shapely.transform(geometry, lambda xy: moved(xy, source, target))
    except ArithmeticError:
        return None


def _kind(is_point: Bool[np.ndarray, " n"]) -> str:
    if is_point.all():
        return "points"
    return "features" if is_point.any() else "polygons"


def _left_out(features: Features, usable: Bool[np.ndarray, " n"]) -> list[str]:
    if usable.all():
        return []
    return [
        f"{int((~usable).sum())} of {len(usable)} features have no value in '{features.field}' or "
        "are neither polygon nor point, and are left out."
    ]


def _outside(
    kind: str,
    usable: Bool[np.ndarray, " n"],
    inside: Bool[np.ndarray, " n"],
    within: Bool[np.ndarray, " n"],
) -> list[str]:
    n_out, n_partly = int((usable & ~inside).sum()), int((inside & ~within).sum())
    said = [
        f"{n} {'lies' if n == 1 else 'lie'} {where}"
        for n, where in ((n_out, "outside"), (n_partly, "partly outside"))
        if n
    ]
    return [f"Of {int(usable.sum())} {kind} {', '.join(said)} of the scene."] if said else []


def _misses(
    features: Features,
    mapped: Shaped[np.ndarray, " n"],
    kind: str,
    where: Georeference,
    shape: tuple[int, int],
) -> InvalidInputError:
    shapely = require("shapely", extra="geo")
    bounds = shapely.bounds(mapped)
    bounds = bounds[np.isfinite(bounds).all(axis=1)]
    theirs = "beyond the reach of that CRS"
    if len(bounds):
        low, high = bounds[:, :2].min(axis=0), bounds[:, 2:].max(axis=0)
        theirs = extent_text((*low.tolist(), *high.tolist()))
    return InvalidInputError(
        f"{kind} must lie in the scene, but all of {features.source} miss it: in "
        f"{crs_name(where.crs)} they are at {theirs}, the scene is at "
        f"{extent_text(where.bounds(shape))}; check that both belong together and that "
        "each has its right CRS"
    )
