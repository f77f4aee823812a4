"""Probability that the pixel does not match its class: its Gaussian against that of the class."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from pdml.embeddings.prediction import Prediction
from pdml.inference.class_gaussians import ClassGaussians
from pdml.inference.doubt import DOUBT_SCORES
from pdml.losses.expected_match import expected_match_logit


@DOUBT_SCORES.register
def mismatch(prediction: Prediction, gaussians: ClassGaussians | None) -> Tensor | None:
    """One minus the expected match probability of the pixel and its predicted class.

    The probability is that of the loss, with its learnt a and b; a model that was trained without
    them has no such score. The pixel's variance counts as the same in all coordinates.
    """
    if gaussians is None or gaussians.match is None or prediction.variance is None:
        return None
    points = prediction.mean
    a, b = (points.new_tensor(value) for value in gaussians.match)
    classes = prediction.classes
    difference = points - gaussians.mean.to(points.device)[classes]
    variance = gaussians.variance.to(points.device)[classes] + prediction.variance[:, None]
    differs: Float[Tensor, " n"] = (-expected_match_logit(difference, variance, a, b)).sigmoid()
    return differs.masked_fill(gaussians.count.to(points.device)[classes] == 0, 1.0)
