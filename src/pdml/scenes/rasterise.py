"""Polygons and points become the labels of a scene's pixels.

A polygon labels the pixels whose centres lie in it, a point the pixel that it lies in. A pixel that
polygons of different classes claim stays unlabelled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Int, Int32

from pdml.errors import InvalidInputError
from pdml.optional import require
from pdml.scenes.crs import pixel_size_text
from pdml.scenes.feature_classes import classes_of
from pdml.scenes.feature_places import Placed, place_features
from pdml.scenes.labels import LabelMap, listed
from pdml.scenes.scene import Scene
from pdml.scenes.vector_file import Features


def rasterise(
    features: Features,
    scene: Scene,
    *,
    class_names: Sequence[str] = (),
    colours: Sequence[str] = (),
) -> LabelMap:
    """Labels the pixels of a scene by polygons and points.

    Args:
        features: What was drawn, in any coordinate reference system.
        scene: A scene with a georeference.
        class_names: The classes in their order, if that is settled; else those of the features,
            sorted.
        colours: Their colours.

    Returns:
        The labels, with the number of its feature for each pixel, and notes on all that was left
        out or mended.

    Raises:
        InvalidInputError: If scene or features cannot be placed, none lies in the scene, or none
            covers a pixel.
    """
    codes, names = classes_of(features, class_names)
    placed = place_features(features, codes, scene)
    drawn = _Drawing(scene.shape[:2])
    for code in range(1, len(names) + 1):
        drawn.add(code, *_burned(placed, placed.codes == code, drawn.shape))
    notes = [*placed.notes, *_invisible(placed, drawn), *drawn.overlaps(names)]
    drawn.erase_conflicts()
    if not drawn.codes.any():
        raise InvalidInputError(
            f"labels must mark at least one pixel, but none of the {placed.n_inside} "
            f"{placed.kind} of {features.source} in the scene does: {' '.join(notes)} A pixel is "
            f"{pixel_size_text(placed.georeference)}; draw larger ones, or points"
        )
    return LabelMap(drawn.codes, names, tuple(colours), drawn.groups, tuple(notes))


@dataclass
class _Drawing:
    """Classes and features burned so far, and which pixels several classes claim."""

    shape: tuple[int, int]
    codes: Int32[np.ndarray, "row col"] = field(init=False)
    groups: Int32[np.ndarray, "row col"] = field(init=False)
    conflicts: Bool[np.ndarray, "row col"] = field(init=False)
    claimed: Counter[tuple[int, int]] = field(default_factory=Counter, init=False)
    seen: set[int] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self.codes = np.zeros(self.shape, dtype=np.int32)
        self.groups = np.zeros(self.shape, dtype=np.int32)
        self.conflicts = np.zeros(self.shape, dtype=bool)

    def add(
        self, code: int, window: tuple[slice, slice], burned: Int32[np.ndarray, "row col"]
    ) -> None:
        """Adds the features of one class, burned into a window."""
        covered = burned > 0
        before = self.codes[window]
        twice = covered & (before > 0)
        for other, count in zip(*np.unique(before[twice], return_counts=True), strict=True):
            self.claimed[int(other), code] += int(count)
        self.conflicts[window] |= twice
        before[covered] = code
        self.groups[window][covered] = burned[covered]
        self.seen.update(np.unique(burned[covered]).tolist())

    def overlaps(self, names: Sequence[str]) -> list[str]:
        """What to say of pixels that several classes claim."""
        if not self.claimed:
            return []
        pairs = [
            f"{names[one - 1]} and {names[other - 1]} {count}"
            for (one, other), count in self.claimed.most_common()
        ]
        return [
            f"{int(self.conflicts.sum())} pixels lie in features of different classes "
            f"({listed(pairs)}) and stay unlabelled."
        ]

    def erase_conflicts(self) -> None:
        """Takes the label from pixels that several classes claim."""
        self.codes[self.conflicts] = 0
        self.groups[self.conflicts] = 0


def _burned(
    placed: Placed, chosen: Bool[np.ndarray, " n"], shape: tuple[int, int]
) -> tuple[tuple[slice, slice], Int32[np.ndarray, "row col"]]:
    """The numbers of some features in the window that they lie in.

    Large polygons are burned first, so that a small one inside another keeps its pixels.
    """
    chosen = chosen & placed.inside
    low = np.clip(np.floor(placed.bounds[chosen, :2]).min(axis=0, initial=max(shape)), 0, None)
    high = np.clip(np.ceil(placed.bounds[chosen, 2:]).max(axis=0, initial=0) + 1, None, shape[::-1])
    left, top = low.astype(int)
    right, bottom = high.astype(int)
    window = slice(top, max(top, bottom)), slice(left, max(left, right))
    size = window[0].stop - top, window[1].stop - left
    burned = np.zeros(size, dtype=np.int32)
    polygons = np.flatnonzero(chosen & ~placed.is_point)
    order = polygons[np.argsort(-placed.areas[polygons], kind="stable")]
    if len(order) and burned.size:
        features, affine = require("rasterio.features", extra="geo"), require("affine", extra="geo")
        features.rasterize(
            zip(placed.geometries[order], (order + 1).tolist(), strict=True),
            out=burned,
            transform=affine.Affine.translation(left, top),
        )
    _mark_points(burned, placed, np.flatnonzero(chosen & placed.is_point), (top, left))
    return window, burned


def _mark_points(
    burned: Int32[np.ndarray, "row col"],
    placed: Placed,
    points: Int[np.ndarray, " n"],
    corner: tuple[int, int],
) -> None:
    """Marks the pixels that points lie in; a feature may be several points."""
    shapely = require("shapely", extra="geo")
    places, which = shapely.get_coordinates(placed.geometries[points], return_index=True)
    rows, cols = np.floor(places).astype(int).T[::-1] - np.array(corner)[:, None]
    is_in = (rows >= 0) & (rows < burned.shape[0]) & (cols >= 0) & (cols < burned.shape[1])
    burned[rows[is_in], cols[is_in]] = points[which[is_in]] + 1


def _invisible(placed: Placed, drawn: _Drawing) -> list[str]:
    """What to say of features that label no pixel of their own."""
    unseen = placed.n_inside - len(drawn.seen)
    if not unseen:
        return []
    return [
        f"{unseen} of {placed.n_inside} {placed.kind} in the scene label nothing, because no pixel "
        "centre lies in them that is not in another one of their class."
    ]
