"""What the most probable class lacks to certainty: the measure that every other has to beat."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from pdml.embeddings.prediction import Prediction, lacking
from pdml.inference.class_gaussians import ClassGaussians
from pdml.inference.doubt import DOUBT_SCORES


@DOUBT_SCORES.register
def max_softmax(prediction: Prediction, _: ClassGaussians | None) -> Float[Tensor, " n"]:
    """One minus the top probability by the pixel's own patch, before any surroundings."""
    return lacking(prediction.probability if prediction.alone is None else prediction.alone)
