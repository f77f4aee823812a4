"""Listening to the surroundings: class probabilities flow between neighbours with like spectra.

A material rarely covers one pixel alone. Where two neighbours have like spectra they are likely to
be of one material, so each borrows from what the network says of the other; across an edge, where
spectra differ, hardly anything is borrowed.

All sums are of single products in a fixed order. So what comes out for a pixel does not depend, to
the last bit, on how much of the scene lies beyond its reach.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from scipy.ndimage import maximum_filter
from torch import Tensor

from pdml.patches.source import PatchSource

STRETCHES = 8
"""Stretches of neighbouring bands whose means stand for a spectrum: the noise of bands averages."""

STEPS = ((0, 1), (1, -1), (1, 0), (1, 1))
"""From a pixel to those of its eight neighbours that come after it; the others are opposite."""

ROWS_AT_ONCE = 1024
"""Spectra that are averaged at a time: few enough to stay in the processor's cache."""


@dataclass(frozen=True)
class Surroundings:
    """How far a pixel listens to its neighbours.

    Attributes:
        rounds: How often each pixel's probabilities are averaged with its neighbours'. What is said
            of a pixel depends on pixels up to so many rows and columns away.
        scale: Difference of two spectra at which one counts a quarter for the other.
        temperature: Of the probabilities of single pixels, before they are averaged.
    """

    rounds: int
    scale: float
    temperature: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Surroundings:
        """What `to_dict` made."""
        return cls(**values)


def likeness(
    one: Float[Tensor, "*place stretch"], other: Float[Tensor, "*place stretch"], scale: float
) -> Float[Tensor, "*place"]:
    """What two pixels count for one another: 1 for equal spectra, a quarter at the scale.

    w = (1 + d² / scale²)⁻², with d the distance of the means of the stretches. The tail is heavy,
    so a pixel that differs from all around it still listens a little to all alike.
    """
    squared = torch.zeros_like(one[..., 0])
    for stretch in range(one.shape[-1]):
        difference = one[..., stretch] - other[..., stretch]
        squared = squared + difference * difference
    inverse = 1 / (1 + squared / (scale * scale))
    return inverse * inverse


def spread(
    probability: Float[Tensor, "class_ row col"],
    weights: list[Float[Tensor, "row col"]],
    *,
    rounds: int,
) -> Float[Tensor, "class_ row col"]:
    """Averages each pixel's probabilities with those of its eight neighbours, some times.

    p'ᵢ = (pᵢ + Σⱼ wᵢⱼ pⱼ) / (1 + Σⱼ wᵢⱼ), which keeps a sum of one.

    Args:
        probability: Of each class at each pixel.
        weights: For each of `STEPS`, what a pixel and the one that lies there count for one
            another; 0 where either of them has no probabilities.
        rounds: How often.
    """
    total = torch.ones_like(weights[0])
    for (here, there), weight in zip(_overlaps(total.shape), weights, strict=True):
        total[here] = total[here] + weight[here]
        total[there] = total[there] + weight[here]
    for _ in range(rounds):
        heard = probability.clone()
        for (here, there), weight in zip(_overlaps(total.shape), weights, strict=True):
            heard[:, *here] = heard[:, *here] + weight[here] * probability[:, *there]
            heard[:, *there] = heard[:, *there] + weight[here] * probability[:, *here]
        probability = heard / total
    return probability


def weights_between(
    guide: Float[Tensor, "row col stretch"], present: Bool[Tensor, "row col"], scale: float
) -> list[Float[Tensor, "row col"]]:
    """For each of `STEPS`, what a pixel and the one that lies there count for one another."""
    found = []
    for here, there in _overlaps(present.shape):
        weight = torch.zeros_like(guide[..., 0])
        both = present[here] & present[there]
        weight[here] = likeness(guide[here], guide[there], scale) * both
        found.append(weight)
    return found


def guide_of(source: PatchSource) -> Float[Tensor, "row col stretch"]:
    """The spectra of a scene, each as the means of a few stretches of its standardised bands."""
    table, grid = source.table, source.grid
    parts = np.array_split(np.arange(table.shape[1]), min(STRETCHES, table.shape[1]))
    means = table.new_empty(len(table), len(parts), dtype=torch.float32)
    for start in range(0, len(table), ROWS_AT_ONCE):
        rows = table[start : start + ROWS_AT_ONCE].float()
        for number, bands in enumerate(parts):
            total = rows[:, bands[0]].clone()
            for band in bands[1:]:
                total += rows[:, band]
            means[start : start + ROWS_AT_ONCE, number] = total / len(bands)
    inner = slice(grid.margin, grid.margin + grid.n_rows)
    columns = slice(grid.margin, grid.margin + grid.n_cols)
    return means.view(*grid.padded_shape, len(parts))[inner, columns]


def usual_difference(
    guide: Float[Tensor, "row col stretch"],
    present: Bool[Tensor, "row col"],
    indices: Int[Tensor, " n"],
) -> float:
    """Median distance between pixels and those of their neighbours that come after them.

    Args:
        guide: The spectra.
        present: Which pixels have one.
        indices: Flat indices of the pixels.
    """
    n_cols = present.shape[1]
    asked = torch.zeros_like(present)
    asked.view(-1)[indices] = True
    found = []
    for here, there in _overlaps((present.shape[0], n_cols)):
        both = asked[here] & present[here] & present[there]
        difference = guide[here][both] - guide[there][both]
        found.append(difference.square().sum(dim=1).sqrt())
    all_found = torch.cat(found)
    return float(all_found.median()) if len(all_found) else 0.0


def within_reach(
    indices: Int[Tensor, " n"], present: Bool[np.ndarray, "row col"], reach: int
) -> Bool[np.ndarray, "row col"]:
    """Which measured pixels lie at most some rows and columns away from any of some pixels."""
    asked = np.zeros(present.shape, dtype=bool)
    asked.reshape(-1)[indices.cpu().numpy()] = True
    near: Bool[np.ndarray, "row col"] = maximum_filter(asked, size=2 * reach + 1) & present
    return near


def _overlaps(
    shape: tuple[int, ...],
) -> list[tuple[tuple[slice, slice], tuple[slice, slice]]]:
    """For each of `STEPS`, the pixels that have a neighbour there, and these neighbours."""
    n_rows, n_cols = shape
    return [
        (
            (slice(0, n_rows - down), slice(max(0, -right), n_cols - max(0, right))),
            (slice(down, n_rows), slice(max(0, right), n_cols + min(0, right))),
        )
        for down, right in STEPS
    ]
