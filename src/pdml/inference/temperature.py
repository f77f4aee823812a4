"""Temperature scaling: one number that makes probabilities as sure as they are right."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float, Int
from scipy.optimize import minimize_scalar
from torch import Tensor

BOUNDS = (0.05, 20.0)


def tempered(
    probability: Float[Tensor, "n class_"], temperature: float
) -> Float[Tensor, "n class_"]:
    """Class probabilities at a temperature: p^(1/T), brought to a sum of one.

    Of a softmax this is the softmax of the logits divided by T (Guo et al., "On calibration of
    modern neural networks", ICML 2017). It needs no logits, so it also serves averages of several
    predictions and methods without any. The order of the classes stays.
    """
    tiny = torch.finfo(probability.dtype).tiny
    return (probability.clamp_min(tiny).log() / temperature).softmax(dim=1)


def fit_temperature(
    classes: Int[Tensor, " n"], probability: Float[Tensor, "n class_"]
) -> float | None:
    """The temperature at which the true classes are most likely.

    Args:
        classes: True classes of pixels that were not trained on.
        probability: Their class probabilities.

    Returns:
        The temperature, within `BOUNDS`; None without pixels. Without a mistake the likelihood
        would have probabilities of 0 and 1, so then the temperature is 1 at least.
    """
    if not len(classes):
        return None
    flawless = bool((probability.argmax(dim=1) == classes).all())
    bounds = np.log((1.0 if flawless else BOUNDS[0], BOUNDS[1]))
    exact = probability.double()

    def nll(log_temperature: float) -> float:
        calibrated = tempered(exact, float(np.exp(log_temperature)))
        return float(-calibrated.gather(1, classes[:, None]).log().mean())

    found = minimize_scalar(nll, bounds=tuple(bounds), method="bounded")
    return float(np.exp(found.x))
