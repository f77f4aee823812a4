"""How far the Gaussians of an embedding are from a unit one, so that variances do not vanish."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def kl_to_unit(
    mean: Float[Tensor, "*pixel feature"], log_variance: Float[Tensor, "*pixel feature"]
) -> Float[Tensor, ""]:
    """Kullback-Leibler divergence from N(mean, variance) to N(0, 1), averaged over pixels.

    0.5 * sum(mean^2 + variance - log variance - 1): the regulariser of the variational information
    bottleneck (Alemi et al., "Deep variational information bottleneck", ICLR 2017).
    """
    terms = mean.square() + torch.exp(log_variance) - log_variance - 1
    return 0.5 * terms.sum(-1).mean()
