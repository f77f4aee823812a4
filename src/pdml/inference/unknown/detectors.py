"""Formulas that find material of no class; each is larger where a pixel is less like them."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from pdml.inference.unknown.class_shape import ClassShape

PIXELS_AT_ONCE = 1024


def energy(logits: Float[Tensor, "n class_"]) -> Float[Tensor, " n"]:
    """Minus the logarithm of the sum of exponentials: how little evidence there is for any class.

    W. Liu et al., "Energy-based out-of-distribution detection", NeurIPS 2020, with T = 1.
    """
    return -torch.logsumexp(logits.float(), dim=1)


def mahalanobis(points: Float[Tensor, "n feature"], shape: ClassShape) -> Float[Tensor, " n"]:
    """Squared Mahalanobis distance to the nearest class.

    K. Lee et al., "A simple unified framework for detecting out-of-distribution samples and
    adversarial attacks", NeurIPS 2018.
    """
    return shape.nearest_squared(points)


def relative_mahalanobis(
    points: Float[Tensor, "n feature"], shape: ClassShape, of_all: ClassShape
) -> Float[Tensor, " n"]:
    """The same less the distance to all training pixels taken as one class.

    J. Ren et al., "A simple fix to Mahalanobis distance for improving near-OOD detection", 2021.

    Args:
        points: What is judged.
        shape: The classes.
        of_all: All training pixels as one class.
    """
    return shape.nearest_squared(points) - of_all.nearest_squared(points)


def neighbour_distance(
    points: Float[Tensor, "n feature"], known: Float[Tensor, "m feature"], *, n_neighbours: int = 5
) -> Float[Tensor, " n"]:
    """Distance to the k-th nearest training pixel, or to the farthest if there are fewer.

    Y. Sun et al., "Out-of-distribution detection with deep nearest neighbors", ICML 2022, but with
    means that keep their length: in our embedding the length means something.

    Args:
        points: What is judged.
        known: Training pixels.
        n_neighbours: k.
    """
    k = min(n_neighbours, len(known))
    parts = [
        torch.cdist(some, known, compute_mode="donot_use_mm_for_euclid_dist").kthvalue(k).values
        for some in torch.split(points, PIXELS_AT_ONCE)
    ]
    return torch.cat(parts)
