"""The probability that two Gaussians match, in closed form instead of by samples."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from pdml.losses.match_probability import match_logit


def expected_match_logit(
    difference: Float[Tensor, "*pair feature"],
    variance: Float[Tensor, "*pair feature"],
    a: Float[Tensor, ""],
    b: Float[Tensor, ""],
) -> Float[Tensor, "*pair"]:
    """Logit of the match probability of two pixels, expected over their samples (Eqs. 11 to 13).

    The difference of two samples is a Gaussian, so mean and variance of its squared length are
    exact: |d|^2 + sum(s) and 2 sum(s^2) + 4 sum(d^2 s). Those of its length follow to second order
    (the delta method), and the mean of a sigmoid over a Gaussian is that of MacKay, "The evidence
    framework applied to classification networks", Neural Computation 4, 1992:
    E sigmoid(x) = sigmoid(mean / sqrt(1 + pi variance / 8)).

    Args:
        difference: Mean of one Gaussian minus that of the other (d).
        variance: Sum of the variances of the two, coordinate by coordinate (s).
        a: Slope of the match probability.
        b: Its threshold.
    """
    length_squared = difference.square()
    mean_squared = (length_squared + variance).sum(-1)
    spread = (2 * variance.square() + 4 * length_squared * variance).sum(-1)
    tiny = torch.finfo(mean_squared.dtype).tiny
    relative = spread / mean_squared.square().clamp_min(tiny)
    distance = mean_squared.sqrt() * (1 - relative / 8)
    variance_of_logit = a**2 * mean_squared * relative / 4
    return match_logit(distance, a, b) / torch.sqrt(1 + math.pi / 8 * variance_of_logit)
