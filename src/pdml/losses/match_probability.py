"""The probability that two pixels are of the same class, from the distances of their samples.

Everything stays in log space: no epsilon inside a logarithm and no clamp, so values and gradients
are finite for any distance.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import logsigmoid

from pdml.losses.pair_tiles import TINY


def match_logit(
    distance: Float[Tensor, "*shape"], a: Float[Tensor, ""], b: Float[Tensor, ""]
) -> Float[Tensor, "*shape"]:
    """The argument of the sigmoid in Eq. 11."""
    return -a * distance + b


def log_mean_sigmoid(logit: Float[Tensor, "k l *pair"]) -> Float[Tensor, "*pair"]:
    """Logarithm of the mean match probability over all pairs of samples (Eq. 13).

    With the sign of the logits turned it is the logarithm of one minus that mean.
    """
    log_probability = logsigmoid(logit).flatten(0, 1)
    return torch.logsumexp(log_probability, 0) - math.log(len(log_probability))


@torch.no_grad()
def match_start(
    samples: Float[Tensor, "pixel sample feature"], *, n_pixels: int = 256
) -> tuple[float, float]:
    """Values of a and b at which the match probability spreads over (0, 1) on given samples.

    a = 4 / IQR and b = a * median of the distances, so p is 0.5 at the median distance.

    Args:
        samples: Samples of the pixels of a first batch.
        n_pixels: Evenly spaced pixels of the batch whose distances are taken.

    Returns:
        a and b. Without two distinct distances there is nothing to go by: a = 1, b = median.
    """
    n_chosen = min(n_pixels, samples.shape[0])
    chosen = torch.linspace(0, samples.shape[0] - 1, n_chosen, device=samples.device)
    subset = samples[chosen.round().long(), 0]
    if n_chosen < 2:
        return 1.0, 0.0
    distance = torch.pdist(subset.float())
    lower, median, upper = torch.quantile(distance, distance.new_tensor([0.25, 0.5, 0.75])).tolist()
    spread = upper - lower
    a = 4 / spread if spread > TINY else 1.0
    return a, a * median
