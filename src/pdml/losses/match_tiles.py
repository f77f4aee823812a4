"""The probabilistic contrastive loss of a tile of distances, with derivatives (Eqs. 11 to 14)."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import logsigmoid

from pdml.losses.pair_tiles import PairTile, TileGradient

FAINTEST = {torch.float32: 1e-20, torch.float64: 1e-200}
"""Smallest sum of probabilities whose logarithm is taken: far above the denormal numbers."""


def match_tile(
    tile: PairTile, parameters: Sequence[Float[Tensor, ""]], *, with_gradient: bool
) -> tuple[Float[Tensor, ""], TileGradient | None]:
    """Weighted negative log-probability of what is true of each pair, as a `PairFormula`.

    With u the logit of a pair of samples, turned in sign for pixels of different classes, the loss
    of two pixels is -log(sum of sigmoid(u) / K^2). A sum of positive numbers loses no digits, so
    its logarithm is exact unless the sum underflows. A tile where that may happen is computed in
    log space: the largest log-sigmoid of each pair is taken out of the sum.

    Args:
        tile: Pairs of two blocks of pixels; its distances are overwritten.
        parameters: a and b.
        with_gradient: Whether derivatives are wanted.

    Returns:
        The loss and its derivatives.
    """
    sign = torch.where(tile.same, 1.0, -1.0).to(tile.squared.dtype)
    a, b = parameters
    inverse, u, probability = tile.scratch
    torch.rsqrt(tile.squared, out=inverse)
    distance = tile.squared.mul_(inverse)
    torch.addcmul(_per_pair(sign * b), distance, _per_pair(sign * -a), out=u)
    torch.sigmoid(u, out=probability)
    total = _over_samples(probability)
    if total.min() < FAINTEST[total.dtype]:
        probability = logsigmoid(u)
        peak = probability.amax((0, 2))
        probability = probability.sub_(_per_pair(peak)).exp_()
        total = _over_samples(probability)
        log_total = total.log() + peak
    else:
        log_total = total.log()
    n_pairs = tile.squared.shape[0] * tile.squared.shape[2]
    loss = torch.sum(tile.weight * (math.log(n_pairs) - log_total))
    if not with_gradient:
        return loss, None
    # The slope of sigmoid(u) is sigmoid(u) * sigmoid(-u); 1 - sigmoid(u) would lose its digits.
    slope = probability.mul_(u.neg_().sigmoid_())
    slope.mul_(_per_pair(tile.weight * sign / total))
    to_a = torch.dot(slope.flatten(), distance.flatten())
    to_b = -slope.sum()
    return loss, TileGradient(slope.mul_(inverse), a / 2, (to_a, to_b))


def _per_pair(matrix: Float[Tensor, "i j"]) -> Float[Tensor, "1 i 1 j"]:
    return matrix[None, :, None, :]


def _over_samples(tile: Float[Tensor, "k i l j"]) -> Float[Tensor, "i j"]:
    # Summing the two axes at once is thirty times slower. The zeros make the result a new array
    # also for one sample, where it would otherwise be a view of what is overwritten later.
    over_first = functools.reduce(torch.add, tile.unbind(0))
    zeros = tile.new_zeros(tile.shape[1], tile.shape[3])
    return functools.reduce(torch.add, over_first.unbind(1), zeros)
