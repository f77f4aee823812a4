"""The paper's pair loss with plain loops and the math module."""

from __future__ import annotations

import itertools
import math

from jaxtyping import Float, Int
from torch import Tensor

from pdml.losses.metric.probabilistic_contrastive import ProbabilisticContrastive
from pdml.losses.metric_loss import MetricLoss

Points = list[list[list[float]]]


def match_probability(
    first: list[list[float]], second: list[list[float]], a: float, b: float
) -> float:
    """Eq. 13: the mean over all pairs of samples of two pixels."""
    probabilities = []
    for x, y in itertools.product(first, second):
        squared = sum((p - q) ** 2 for p, q in zip(x, y, strict=True))
        logit = -a * math.sqrt(squared + 1e-6) + b
        probabilities.append(1 / (1 + math.exp(-logit)))
    return sum(probabilities) / len(probabilities)


def pair_losses(points: Points, classes: list[int], a: float, b: float) -> dict[bool, list[float]]:
    """Eq. 14 of every unordered pair, keyed by whether the two pixels are of the same class."""
    losses: dict[bool, list[float]] = {True: [], False: []}
    for i, j in itertools.combinations(range(len(points)), 2):
        p = match_probability(points[i], points[j], a, b)
        same = classes[i] == classes[j]
        losses[same].append(-math.log(p if same else 1 - p))
    return losses


def by_loops(
    loss: MetricLoss,
    samples: Float[Tensor, "pixel sample feature"],
    classes: Int[Tensor, " pixel"],
) -> float:
    """What the loss must give, with its reduction and its own parameters."""
    assert isinstance(loss, ProbabilisticContrastive)
    a, b = math.exp(loss.log_a.item()), loss.b.item()
    losses = pair_losses(samples.tolist(), classes.tolist(), a, b)
    if loss.balance == "posneg":
        return sum(sum(kind) / len(kind) / 2 for kind in losses.values() if kind)
    every = losses[True] + losses[False]
    return sum(every) / (len(samples) if loss.reduction == "paper" else len(every))
