"""Coordinate reference systems: reading what people type, comparing, saying which one it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from pdml.errors import InvalidInputError
from pdml.optional import require
from pdml.scenes.georeference import Georeference
from pdml.scenes.scene import Scene

Bounds = tuple[float, float, float, float]


def with_crs(scene: Scene, crs: str) -> Scene:
    """The same scene in a coordinate reference system that its file does not name.

    Args:
        scene: A scene that knows where its pixels are.
        crs: Whatever GDAL understands: `EPSG:32633`, WKT, a PROJ string.

    Raises:
        InvalidInputError: If there is no such system, or the scene has no transform.
    """
    known = parsed(crs)
    if scene.georeference is None:
        raise InvalidInputError(
            f"a CRS says in which plane the pixels of '{scene.name}' lie, but its file does not "
            "say where they lie; leave out --crs, or use a file with a transform, such as GeoTIFF"
        )
    return replace(scene, georeference=replace(scene.georeference, crs=known.to_wkt()))


def parsed(crs: str) -> Any:
    """A CRS of rasterio.

    Raises:
        InvalidInputError: If there is no such system.
    """
    rasterio = require("rasterio", extra="geo")
    errors, kind = require("rasterio.errors", extra="geo"), require("rasterio.crs", extra="geo")
    try:
        with rasterio.Env():  # or GDAL prints its own complaint
            return kind.CRS.from_user_input(crs)
    except errors.CRSError as error:
        reason = " ".join(str(error).split())
        raise InvalidInputError(
            f"a CRS must be one that GDAL knows, got '{crs}' ({reason}); try --crs EPSG:32633 "
            "with the number of yours"
        ) from error


def same_crs(one: str, other: str) -> bool:
    """Whether two systems are the same; one that is not named counts as the other."""
    return not one or not other or one == other or bool(parsed(one) == parsed(other))


def crs_name(crs: str) -> str:
    """A short name: `EPSG:32633`, or that which stands in the definition."""
    if not crs:
        return "no CRS"
    known = parsed(crs)
    authority = known.to_authority()
    if authority:
        return ":".join(authority)
    wkt = str(known.to_wkt())
    return wkt.split('"')[1] if '"' in wkt else wkt


def moved(xy: Float[np.ndarray, "n 2"], source: str, target: str) -> Float[np.ndarray, "n 2"]:
    """Coordinates of one system in another.

    Raises:
        ArithmeticError: If a place has no coordinates in the other system.
    """
    rasterio, warp = (require(name, extra="geo") for name in ("rasterio", "rasterio.warp"))
    try:
        with rasterio.Env():
            xs, ys = warp.transform(parsed(source), parsed(target), xy[:, 0], xy[:, 1])
    except Exception as error:  # what rasterio raises here is not in its public interface
        raise ArithmeticError(str(error)) from error
    there = np.column_stack([xs, ys])
    if not np.isfinite(there).all():
        raise ArithmeticError("a place has no coordinates in the other system")
    return there


def extent_text(bounds: Bounds) -> str:
    """An extent in words: `x 500000 to 500600, y 4999400 to 5000000`."""
    left, bottom, right, top = (f"{value:.10g}" for value in bounds)
    return f"x {left} to {right}, y {bottom} to {top}"


def pixel_size_text(georeference: Georeference) -> str:
    """The size of a pixel in words: `10 x 10 metre`."""
    a, b, _, d, e, _ = georeference.transform
    size = f"{np.hypot(a, d):.4g} x {np.hypot(b, e):.4g}"
    if not georeference.crs:
        return size
    known = parsed(georeference.crs)
    return f"{size} {known.linear_units if known.is_projected else 'degree'}"
