"""The multi-similarity loss with its choice of pairs, as in the article (Eqs. 11 to 13 there)."""

from __future__ import annotations

import math

from jaxtyping import Float, Int
from torch import Tensor

from pdml.losses.metric.multi_similarity import MultiSimilarity
from pdml.losses.metric_loss import MetricLoss
from tests.reference.points import dot, of_unit_length, points_of


def by_loops(
    loss: MetricLoss,
    samples: Float[Tensor, "pixel sample feature"],
    classes: Int[Tensor, " pixel"],
) -> float:
    """The mean over all samples."""
    assert isinstance(loss, MultiSimilarity)
    alpha, beta, base = loss.pairs.alpha, loss.pairs.beta, loss.pairs.base
    room = loss.miner.epsilon
    points = [(of_unit_length(point), label) for point, label in points_of(samples, classes)]
    total = 0.0
    for i, (anchor, label) in enumerate(points):
        others = [(dot(anchor, p), k) for j, (p, k) in enumerate(points) if j != i]
        positive = [s for s, k in others if k == label]
        negative = [s for s, k in others if k != label]
        hard_positive = [s for s in positive if s - room < max(negative)]
        hard_negative = [s for s in negative if s + room > min(positive)]
        total += math.log1p(sum(math.exp(-alpha * (s - base)) for s in hard_positive)) / alpha
        total += math.log1p(sum(math.exp(beta * (s - base)) for s in hard_negative)) / beta
    return total / len(points)
