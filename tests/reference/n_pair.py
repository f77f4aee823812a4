"""The expectation of the N-pair loss, by very many plain draws."""

from __future__ import annotations

import math
import random

from jaxtyping import Float, Int
from torch import Tensor

from pdml.losses.metric.n_pair import NPair
from pdml.losses.metric_loss import MetricLoss
from tests.reference.points import dot, points_of

N_DRAWS = 6000


def by_loops(
    loss: MetricLoss,
    samples: Float[Tensor, "pixel sample feature"],
    classes: Int[Tensor, " pixel"],
) -> float:
    """The mean over draws of a pair per class."""
    assert isinstance(loss, NPair)
    by_class: dict[int, list[list[float]]] = {}
    for point, label in points_of(samples, classes):
        by_class.setdefault(label, []).append(point)
    generator = random.Random(0)
    return sum(one_draw(loss, by_class, generator) for _ in range(N_DRAWS)) / N_DRAWS


def one_draw(
    loss: NPair, by_class: dict[int, list[list[float]]], generator: random.Random
) -> float:
    """log(1 + sum over strangers of exp(a.p_j - a.p_i)), and the squared norms."""
    pairs = [generator.sample(points, 2) for points in by_class.values()]
    total = 0.0
    for i, (anchor, positive) in enumerate(pairs):
        own = dot(anchor, positive)
        strangers = sum(math.exp(dot(anchor, p) - own) for j, (_, p) in enumerate(pairs) if j != i)
        total += math.log1p(strangers) / len(pairs)
    norms = [dot(point, point) for pair in pairs for point in pair]
    return total + loss.norm_weight * sum(norms) / len(norms)
