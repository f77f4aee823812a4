"""Entropy of the class probabilities: 0 if one class has it all, 1 if all classes are alike."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from pdml.embeddings.prediction import Prediction
from pdml.inference.class_gaussians import ClassGaussians
from pdml.inference.doubt import DOUBT_SCORES


@DOUBT_SCORES.register
def entropy(prediction: Prediction, _: ClassGaussians | None) -> Float[Tensor, " n"]:
    """Entropy of the class probabilities, 0 sure to 1 undecided."""
    p = prediction.probability
    terms: Tensor = torch.special.entr(p)
    return terms.sum(dim=1) / math.log(max(2, p.shape[1]))
