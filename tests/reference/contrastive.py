"""Eq. 10 over all pairs of pixels, averaged over the pairs of their samples."""

from __future__ import annotations

import itertools

from jaxtyping import Float, Int
from torch import Tensor

from pdml.losses.metric.contrastive import Contrastive
from pdml.losses.metric_loss import MetricLoss
from tests.reference.points import distance


def by_loops(
    loss: MetricLoss,
    samples: Float[Tensor, "pixel sample feature"],
    classes: Int[Tensor, " pixel"],
) -> float:
    """What the loss must give."""
    assert isinstance(loss, Contrastive)
    pixels, labels = samples.tolist(), classes.tolist()
    total, n_pairs = 0.0, 0
    for i, j in itertools.combinations(range(len(pixels)), 2):
        between = [distance(x, y) for x, y in itertools.product(pixels[i], pixels[j])]
        if labels[i] == labels[j]:
            parts = [d**2 for d in between]
        else:
            parts = [max(loss.margin - d, 0) ** 2 for d in between]
        total += sum(parts) / len(parts)
        n_pairs += 1
    return total / (len(pixels) if loss.reduction == "paper" else n_pairs)
