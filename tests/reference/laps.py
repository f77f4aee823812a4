"""The lap-variance penalty with plain loops and the math module."""

from __future__ import annotations

import itertools
import math

from jaxtyping import Float
from torch import Tensor


def lap_variance_by_loops(
    log_variance: Float[Tensor, "n row col feature"], alpha: float, form: str, reduction: str
) -> float:
    """Eq. 7 and its sum in Eq. 15, lap by lap and pixel by pixel."""
    patches = log_variance.tolist()
    penalties = []
    for patch in patches:
        centre = len(patch) // 2
        values: list[list[float]] = [[] for _ in range(centre + 1)]
        for row, pixels in enumerate(patch):
            for col, features in enumerate(pixels):
                lap = max(abs(row - centre), abs(col - centre))
                for s in features:
                    values[lap].append(s if form == "log" else math.exp(s / 2))
        mean = [sum(lap) / len(lap) for lap in values]
        of_patch = []
        for inner, outer in itertools.pairwise(mean):
            wanted = math.log(1 + alpha) + inner if form == "log" else (1 + alpha) * inner
            gap = wanted - outer
            of_patch.append(gap if form == "paper" else max(gap, 0.0))
        penalties.append(sum(of_patch) / (len(of_patch) if reduction == "mean" else 1))
    return sum(penalties) / len(penalties)
