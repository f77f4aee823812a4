"""Variance of the pixel's own Gaussian, averaged over the coordinates of the embedding."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from pdml.embeddings.prediction import Prediction
from pdml.inference.class_gaussians import ClassGaussians
from pdml.inference.doubt import DOUBT_SCORES


@DOUBT_SCORES.register
def variance(prediction: Prediction, _: ClassGaussians | None) -> Float[Tensor, " n"] | None:
    """Mean variance of the pixel's embedding."""
    return prediction.variance
