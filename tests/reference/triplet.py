"""The expectation of the triplet loss: every triplet, with its probability."""

from __future__ import annotations

from jaxtyping import Float, Int
from torch import Tensor

from pdml.losses.metric.triplet import Triplet
from pdml.losses.metric_loss import MetricLoss
from tests.reference.points import distance, points_of


def by_loops(
    loss: MetricLoss,
    samples: Float[Tensor, "pixel sample feature"],
    classes: Int[Tensor, " pixel"],
) -> float:
    """The mean over all draws."""
    assert isinstance(loss, Triplet)
    points = points_of(samples, classes)
    table = [[distance(x, y) for y, _ in points] for x, _ in points]
    total, n_pairs = 0.0, 0
    for a, (_, label) in enumerate(points):
        for p, (_, other) in enumerate(points):
            if p == a or other != label:
                continue
            n_pairs += 1
            positive = table[a][p]
            negatives = [table[a][n] for n, (_, third) in enumerate(points) if third != label]
            if loss.sampling == "semihard":
                negatives = [d for d in negatives if positive < d < positive + loss.margin]
            if negatives:
                losses = [max(positive - d + loss.margin, 0) for d in negatives]
                total += sum(losses) / len(losses)
    return total / n_pairs  # the classes of the contract's batch are of one size
