"""Scores of a pixel: how doubtful its class is, by several measures that are found by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jaxtyping import Float
from torch import Tensor

from pdml.embeddings.prediction import Prediction
from pdml.inference.class_gaussians import ClassGaussians
from pdml.registry import Registry

DoubtScore = Callable[[Prediction, ClassGaussians | None], Float[Tensor, " n"] | None]
"""Takes predictions and, where there are some, the Gaussians of the classes; returns a number per
pixel, larger where there is more doubt, or None for a model that lacks what it needs. It treats
every pixel by itself and sums in an order that does not depend on the other pixels."""

DOUBT_SCORES: Registry[DoubtScore] = Registry("doubt", "pdml.inference.doubts")


def doubt_scores(
    prediction: Prediction, gaussians: ClassGaussians | None, names: Sequence[str]
) -> dict[str, Float[Tensor, " n"]]:
    """The scores of the given names, without those that the model lacks what is needed for.

    Raises:
        UnknownNameError: If there is no score of a name.
    """
    found = {name: DOUBT_SCORES.get(name)(prediction, gaussians) for name in names}
    return {name: score for name, score in found.items() if score is not None}
