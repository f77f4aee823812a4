"""Distance to the predicted class over that to the nearest other one: 1 in the middle of two."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from pdml.embeddings.prediction import Prediction
from pdml.inference.class_gaussians import ClassGaussians
from pdml.inference.doubt import DOUBT_SCORES


@DOUBT_SCORES.register
def distance_ratio(prediction: Prediction, gaussians: ClassGaussians | None) -> Tensor | None:
    """Distance to the mean of the predicted class over that to the nearest other class mean.

    Above 1 where the classifier and the nearest class disagree. Needs two classes with pixels.
    """
    if gaussians is None or (gaussians.count > 0).sum() < 2:
        return None
    distances = gaussians.distances(prediction.mean)
    predicted = prediction.classes[:, None]
    own: Float[Tensor, " n"] = distances.gather(1, predicted).squeeze(1)
    other = distances.scatter(1, predicted, torch.inf).amin(dim=1)
    return own / other.clamp_min(torch.finfo(other.dtype).tiny)
