"""The margin loss with each negative's probability under distance-weighted sampling (Wu et al.).

The loss of a batch is a ratio, violations by their number. With some 1700 triplets the mean of the
ratio is that of the means to well within the error that the contract allows.
"""

from __future__ import annotations

from jaxtyping import Float, Int
from torch import Tensor

from pdml.losses.metric.margin import Margin
from pdml.losses.metric_loss import MetricLoss
from tests.reference.points import distance, of_unit_length, points_of


def by_loops(
    loss: MetricLoss,
    samples: Float[Tensor, "pixel sample feature"],
    classes: Int[Tensor, " pixel"],
) -> float:
    """The mean over all draws."""
    assert isinstance(loss, Margin)
    points = [(of_unit_length(point), label) for point, label in points_of(samples, classes)]
    n_features = samples.shape[2]
    room, boundary = loss.triplets.margin, float(loss.triplets.beta)
    total = violations = 0.0
    for i, (anchor, label) in enumerate(points):
        rest = [(distance(anchor, p), k) for j, (p, k) in enumerate(points) if j != i]
        positive = [d for d, k in rest if k == label]
        negative = [d for d, k in rest if k != label]
        chances = [chance(d, n_features, loss) for d in negative]
        if not any(chances):
            continue
        for d in positive:
            part = max(d - boundary + room, 0)
            total += part
            violations += part > 0
        for d, weight in zip(negative, chances, strict=True):
            part = max(boundary - d + room, 0)
            share = len(positive) * weight / sum(chances)
            total += part * share
            violations += share * (part > 0)
    return total / violations


def chance(d: float, n_features: int, loss: Margin) -> float:
    """What a negative at a distance is drawn in proportion to: one by the density of distances."""
    if d >= loss.miner.nonzero_loss_cutoff:
        return 0.0
    d = max(d, loss.miner.cutoff)
    density = d ** (n_features - 2) * (1 - d**2 / 4) ** ((n_features - 3) / 2)
    return float(1 / density)
