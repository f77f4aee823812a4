"""The probabilistic contrastive loss as one would first write it: the plain counterpart.

Every distance between samples is there at once and autograd does the rest. It serves as the measure
of what the tiled form saves, and for nothing else.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pdml.losses.match_probability import log_mean_sigmoid, match_logit
from pdml.losses.pair_tiles import TINY


def naive_pair_loss(
    samples: Float[Tensor, "pixel sample feature"],
    classes: Int[Tensor, " pixel"],
    a: Float[Tensor, ""],
    b: Float[Tensor, ""],
) -> Float[Tensor, ""]:
    """Sum over all unordered pairs of different pixels, with everything materialised.

    Args:
        samples: Samples of every pixel.
        classes: Class of every pixel.
        a: Slope of the match probability.
        b: Shift of the match probability.
    """
    n_pixels, n_samples, _ = samples.shape
    points = samples.flatten(0, 1)
    squares = points.square().sum(1)
    squared = squares[:, None] + squares[None, :] - 2 * points @ points.t()
    distance = torch.sqrt(squared.clamp_min(0) + TINY)
    logit = match_logit(distance, a, b).view(n_pixels, n_samples, n_pixels, n_samples)
    same = classes[:, None] == classes[None, :]
    sign = torch.where(same, 1, -1).to(logit.dtype)
    loss = -log_mean_sigmoid((logit * sign[:, None, :, None]).transpose(1, 2))
    return loss.triu(1).sum()
