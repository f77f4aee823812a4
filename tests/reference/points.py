"""Samples as a list of points with their classes, for restatements with loops."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jaxtyping import Float, Int
from torch import Tensor

Point = list[float]


def points_of(
    samples: Float[Tensor, "pixel sample feature"], classes: Int[Tensor, " pixel"]
) -> list[tuple[Point, int]]:
    """Every sample with the class of its pixel."""
    return [
        (point, label)
        for pixel, label in zip(samples.tolist(), classes.tolist(), strict=True)
        for point in pixel
    ]


def distance(x: Sequence[float], y: Sequence[float]) -> float:
    """The Euclidean distance."""
    return math.dist(x, y)


def dot(x: Sequence[float], y: Sequence[float]) -> float:
    """The dot product."""
    return sum(p * q for p, q in zip(x, y, strict=True))


def of_unit_length(x: Point) -> Point:
    """The point on the sphere in the same direction."""
    length = math.sqrt(dot(x, x))
    return [value / length for value in x]
