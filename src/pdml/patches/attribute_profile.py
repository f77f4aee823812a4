"""Attribute filters on trees of connected regions, and profiles of them.

The regions of an image above each of its levels form a tree, the max-tree: a region holds all
regions of higher levels inside it. Those below each level form the min-tree. A filter takes out
regions whose attribute is below a threshold. On the max-tree this is a thinning, on the min-tree a
thickening (Dalla Mura et al., 2010); by area they are the opening and the closing. Pixels are
neighbours along rows and columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float64, Int

from pdml.optional import require

RULES = ("subtractive", "direct")

Tree = Any
"""A tree of higra, which ships no types."""


def attribute_profile(
    image: Float64[np.ndarray, "row col"],
    thresholds: Mapping[str, Sequence[float]],
    *,
    rule: str = "subtractive",
) -> Float64[np.ndarray, "channel row col"]:
    """Thickenings and thinnings of an image, attribute by attribute, without the image itself.

    Args:
        image: Whole numbers.
        thresholds: Least value of each attribute of `MEASURES` that a region must have.
        rule: What becomes of the regions inside one that is taken out, where they are kept.
            "subtractive" lowers them by as much as the region stood out, so that they stand out
            from what is left as they did before (Urbach et al., 2007); "direct" leaves their
            level. Area and diagonal never have such regions.

    Returns:
        For each attribute the thickenings, then the thinnings, in the order of its thresholds.
    """
    hg = require("higra", extra="baselines")
    graph = hg.get_4_adjacency_graph(image.shape)
    filtered: dict[tuple[str, str], list[Float64[np.ndarray, "row col"]]] = {}
    for side, build in (
        ("thickening", hg.component_tree_min_tree),
        ("thinning", hg.component_tree_max_tree),
    ):
        tree, levels = build(graph, image.ravel())
        for name, least in thresholds.items():
            measured = MEASURES[name](tree, image) if least else np.zeros(0)
            filtered[name, side] = [
                _reconstruct(tree, levels, measured >= value, rule).reshape(image.shape)
                for value in least
            ]
    found = [
        one for name in thresholds for side in ("thickening", "thinning")
        for one in filtered[name, side]
    ]  # fmt: skip
    return np.stack(found) if found else np.zeros((0, *image.shape))


def _reconstruct(
    tree: Tree,
    levels: Float64[np.ndarray, " region"],
    kept: Bool[np.ndarray, " region"],
    rule: str,
) -> Float64[np.ndarray, " pixel"]:
    """The image that is left of a tree when only some regions are kept; its root always is."""
    hg = require("higra", extra="baselines")
    if rule == "direct":
        # A leaf is a single pixel and no region: it has the level of the region that it is in.
        taken_out = ~kept
        taken_out[: tree.num_leaves()] = True
        taken_out[tree.root()] = False
        left = hg.propagate_sequential(tree, levels, taken_out)
    else:
        steps = np.where(kept, levels - levels[tree.parents()], 0.0)
        steps[tree.root()] = levels[tree.root()]
        left = hg.propagate_sequential_and_accumulate(tree, steps, hg.Accumulators.sum)
    pixels: Float64[np.ndarray, " pixel"] = left[: tree.num_leaves()]
    return pixels


def area(tree: Tree, image: Float64[np.ndarray, "row col"]) -> Float64[np.ndarray, " region"]:
    """Number of pixels of each region."""
    return _over(tree, np.ones(image.size))


def inertia(tree: Tree, image: Float64[np.ndarray, "row col"]) -> Float64[np.ndarray, " region"]:
    """First moment of Hu (1962) of each region's shape: squared distances from its middle / area².

    A line of n pixels has about n / 12, a disc 1 / (2 pi).
    """
    n = area(tree, image)
    squares = sum(
        _over(tree, place**2) - _over(tree, place) ** 2 / n for place in _places(image.shape)
    )
    found: Float64[np.ndarray, " region"] = np.maximum(squares, 0) / n**2
    return found


def standard_deviation(
    tree: Tree, image: Float64[np.ndarray, "row col"]
) -> Float64[np.ndarray, " region"]:
    """Standard deviation of the values inside each region (divided by n, not n - 1)."""
    n = area(tree, image)
    # About the mean of the image, so that squares stay small and keep their digits.
    values = (image - np.rint(image.mean())).ravel()
    variance = _over(tree, values**2) / n - (_over(tree, values) / n) ** 2
    found: Float64[np.ndarray, " region"] = np.sqrt(np.maximum(variance, 0))
    return found


def diagonal(tree: Tree, image: Float64[np.ndarray, "row col"]) -> Float64[np.ndarray, " region"]:
    """Diagonal of each region's bounding box, whose sides are counted in pixels."""
    height, width = (
        _over(tree, place, "max") - _over(tree, place, "min") + 1 for place in _places(image.shape)
    )
    found: Float64[np.ndarray, " region"] = np.hypot(height, width)
    return found


MEASURES: dict[str, Callable[[Tree, np.ndarray], np.ndarray]] = {
    "area": area,
    "inertia": inertia,
    "standard_deviation": standard_deviation,
    "diagonal": diagonal,
}


def _over(
    tree: Tree, of_pixels: Float64[np.ndarray, " pixel"], how: str = "sum"
) -> Float64[np.ndarray, " region"]:
    """Sum, least or largest of the values of the pixels inside each region."""
    hg = require("higra", extra="baselines")
    accumulator = getattr(hg.Accumulators, how)
    found: Float64[np.ndarray, " region"] = hg.accumulate_sequential(tree, of_pixels, accumulator)
    return found


def _places(shape: tuple[int, ...]) -> list[Int[np.ndarray, " pixel"]]:
    """Row and column of each pixel."""
    return [place.ravel().astype(np.float64) for place in np.indices(shape)]
