"""What the most probable class lacks to certainty: the measure that every other has to beat."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from pdml.embeddings.prediction import Prediction
from pdml.inference.class_gaussians import ClassGaussians
from pdml.inference.doubt import DOUBT_SCORES


@DOUBT_SCORES.register
def max_softmax(prediction: Prediction, _: ClassGaussians | None) -> Float[Tensor, " n"]:
    """One minus the probability of the most probable class.

    As the sum of the others: one minus 0.99999999 is zero in single precision, and then all sure
    pixels would be equally sure.
    """
    others = prediction.probability.scatter(1, prediction.classes[:, None], 0.0)
    return others.sum(dim=1)
