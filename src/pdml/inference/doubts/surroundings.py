"""How little the pixel and those around it with like spectra agree on the class that is shown."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from pdml.embeddings.prediction import Prediction, lacking
from pdml.inference.class_gaussians import ClassGaussians
from pdml.inference.doubt import DOUBT_SCORES


@DOUBT_SCORES.register
def surroundings(prediction: Prediction, _: ClassGaussians | None) -> Float[Tensor, " n"] | None:
    """One minus the probability of the shown class by the pixel and its surroundings together.

    None for a model that does not listen to the surroundings.
    """
    return None if prediction.alone is None else lacking(prediction.probability)
