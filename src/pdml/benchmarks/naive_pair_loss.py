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
    n, k, _ = samples.shape
    points = samples.flatten(0, 1)
    squares = points.square().sum(1)
    squared = squares[:, None] + squares[None, :] - 2 * points @ points.t()
    distance = torch.sqrt(squared.clamp_min(0) + TINY)
    # Sample pairs in front: the sums over them would take twice as long at the end.
    logit = match_logit(distance, a, b).view(n, k, n, k).permute(1, 3, 0, 2)
    sign = torch.where(classes[:, None] == classes[None, :], 1, -1).to(logit.dtype)
    loss = -log_mean_sigmoid(logit * sign)
    return loss.triu(1).sum()
