"""The cross-entropy of a linear layer, written out."""

from __future__ import annotations

import math

from jaxtyping import Float, Int
from torch import Tensor

from pdml.losses.metric.softmax import Softmax
from pdml.losses.metric_loss import MetricLoss
from tests.reference.points import dot, points_of


def by_loops(
    loss: MetricLoss,
    samples: Float[Tensor, "pixel sample feature"],
    classes: Int[Tensor, " pixel"],
) -> float:
    """The mean over all samples."""
    assert isinstance(loss, Softmax)
    rows, shifts = loss.linear.weight.tolist(), loss.linear.bias.tolist()
    losses = []
    for point, label in points_of(samples, classes):
        scores = [math.exp(dot(row, point) + b) for row, b in zip(rows, shifts, strict=True)]
        losses.append(-math.log(scores[label] / sum(scores)))
    return sum(losses) / len(losses)
