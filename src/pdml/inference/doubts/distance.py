"""Distance to the nearest class in the embedding, in typical distances of a training pixel."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from pdml.embeddings.prediction import Prediction
from pdml.inference.class_gaussians import ClassGaussians
from pdml.inference.doubt import DOUBT_SCORES


@DOUBT_SCORES.register
def distance(prediction: Prediction, gaussians: ClassGaussians | None) -> Tensor | None:
    """Distance to the nearest class mean over the root mean squared one of training pixels."""
    if gaussians is None:
        return None
    nearest: Float[Tensor, " n"] = gaussians.distances(prediction.mean).amin(dim=1)
    return nearest / gaussians.radius
