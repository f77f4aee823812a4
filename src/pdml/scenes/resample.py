"""Labels on another grid, brought to that of a scene: each pixel takes the label at its centre."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Int32

from pdml.errors import InvalidInputError
from pdml.optional import require
from pdml.scenes.crs import crs_name, extent_text, parsed, pixel_size_text, same_crs
from pdml.scenes.georeference import Georeference
from pdml.scenes.scene import Scene

SAME_PLACE_PIXELS = 0.01
"""Corners of two grids that are nearer than this are the same."""

ANY_PLANE = "EPSG:3857"
"""Stands for the plane of two rasters that both name no CRS."""


def same_grid(where: Georeference | None, shape: tuple[int, int], scene: Scene) -> bool:
    """Whether labels lie on a scene's pixels; those that do not say where they are, should."""
    theirs = scene.georeference
    if where is None or theirs is None:
        return True
    if shape != scene.shape[:2] or not same_crs(where.crs, theirs.crs):
        return False
    rows, cols = shape
    corners = np.array([where.xy(row, col) for row in (0, rows) for col in (0, cols)])
    expected = np.array([(col, row) for row in (0, rows) for col in (0, cols)])
    return bool(np.abs(theirs.pixels(corners) - expected).max() < SAME_PLACE_PIXELS)


def covering_window(
    where: Georeference | None, shape: tuple[int, int], scene: Scene, source: str
) -> tuple[Any, Georeference]:
    """The window of a label raster that covers a scene, and where it is.

    Raises:
        InvalidInputError: If one of the two does not say where it is, or they do not meet.
    """
    warp, windows = (require(f"rasterio.{name}", extra="geo") for name in ("warp", "windows"))
    theirs = scene.georeference
    if where is None or theirs is None:
        raise InvalidInputError("a grid can be resampled only if both say where they are")
    _require_crs(where, theirs, source, scene)
    bounds = theirs.bounds(scene.shape[:2])
    if not same_crs(where.crs, theirs.crs):
        bounds = warp.transform_bounds(
            parsed(theirs.crs), parsed(where.crs), *bounds, densify_pts=101
        )
    left, bottom, right, top = bounds
    corners = where.pixels(np.array([(x, y) for x in (left, right) for y in (bottom, top)]))
    # A margin of one pixel, because the bounds of a bent edge are approximate.
    start = np.clip(np.floor(corners.min(axis=0)).astype(int) - 1, 0, None)
    stop = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 1, shape[::-1])
    if (stop <= start).any():
        raise InvalidInputError(
            f"labels must lie on the scene, but {source} misses it: in {crs_name(where.crs)} the "
            f"labels are at {extent_text(where.bounds(shape))}, the scene is at "
            f"{extent_text(bounds)}; check that both belong together and that each has its right "
            "CRS"
        )
    (col, row), (width, height) = start.tolist(), (stop - start).tolist()
    return windows.Window(col, row, width, height), where.moved(row, col)


def taken_pixels(
    codes: Int32[np.ndarray, "row col"], where: Georeference, scene: Scene, source: str
) -> tuple[Int32[np.ndarray, "scene_row scene_col"], str]:
    """Labels on a scene's grid, and a sentence that says how much they were changed by it.

    Args:
        codes: Labels around the scene.
        where: Where they are.
        scene: A scene with a georeference.
        source: Name of the file, for the sentence.
    """
    warp, affine = (require(name, extra="geo") for name in ("rasterio.warp", "affine"))
    theirs = scene.georeference or where
    crs = where.crs or theirs.crs or ANY_PLANE
    # Numbers of pixels are resampled instead of their labels: so it is known which were taken.
    numbers = np.arange(1, codes.size + 1, dtype=np.int32).reshape(codes.shape)
    taken = np.zeros(scene.shape[:2], dtype=np.int32)
    warp.reproject(
        numbers,
        taken,
        src_transform=affine.Affine(*where.transform),
        src_crs=parsed(crs),
        dst_transform=affine.Affine(*theirs.transform),
        dst_crs=parsed(theirs.crs or crs),
        src_nodata=0,
        dst_nodata=0,
        resampling=warp.Resampling.nearest,
        tolerance=0,  # exact places, not interpolated ones
    )
    labels = np.concatenate([[0], codes.ravel()])[taken].astype(np.int32)
    used = np.unique(taken[labels > 0])
    n_before = int((codes > 0).sum())
    note = (
        f"{source} lies on another grid ({pixel_size_text(where)}, {crs_name(where.crs)}; the "
        f"scene has {pixel_size_text(theirs)}, {crs_name(theirs.crs)}): nearest labels were taken, "
        f"{len(used)} of {n_before} labelled pixels around the scene were used "
        f"({100 * (1 - len(used) / max(1, n_before)):.1f} % lost), "
        f"{int((labels > 0).sum())} pixels of the scene are labelled."
    )
    return labels, note


def _require_crs(where: Georeference, theirs: Georeference, source: str, scene: Scene) -> None:
    if bool(where.crs) == bool(theirs.crs) or not where.crs:
        return
    raise InvalidInputError(
        f"labels on another grid need a scene with a CRS, '{scene.name}' has none while {source} "
        f"is in {crs_name(where.crs)}; say which one the scene is in: --crs EPSG:32633"
    )
