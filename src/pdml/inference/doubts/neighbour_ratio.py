"""Distance to the nearest training pixel of the predicted class over that of any other class."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from pdml.embeddings.prediction import Prediction
from pdml.inference.class_gaussians import ClassGaussians
from pdml.inference.doubt import DOUBT_SCORES


@DOUBT_SCORES.register
def neighbour_ratio(prediction: Prediction, gaussians: ClassGaussians | None) -> Tensor | None:
    """Distance to the nearest training pixel of the shown class over that to one of another class.

    The inverse of the trust score of Jiang et al., "To trust or not to trust a classifier",
    NeurIPS 2018, in the embedding. Above 1 where the nearest training pixel is of another class.
    """
    nearest = gaussians.nearest_point(prediction.mean) if gaussians else None
    if nearest is None or torch.isfinite(nearest).any(dim=0).sum() < 2:
        return None
    predicted = prediction.classes[:, None]
    own: Float[Tensor, " n"] = nearest.gather(1, predicted).squeeze(1)
    other = nearest.scatter(1, predicted, torch.inf).amin(dim=1)
    return own / other.clamp_min(torch.finfo(other.dtype).tiny)
