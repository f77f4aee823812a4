"""Outer pixels of a patch are less certain than inner ones: the constraint on the laps' variance.

The paper draws samples as z = m + v * eps (Eqs. 8 and 9) and calls v the variance, so v stands for
the standard deviation. The same v is compared here between neighbouring laps.
"""

from __future__ import annotations

import math
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from pdml.errors import unknown_name
from pdml.losses.laps import lap_means
from pdml.losses.reduction import Reduction, require_reduction

LapForm = Literal["hinge", "log", "paper"]


def hinge_form(v: Float[Tensor, "n lap"], alpha: float) -> Float[Tensor, "n step"]:
    """Eq. 7 with a floor at zero: no reward for more than the margin asks."""
    return torch.relu((1 + alpha) * v[:, :-1] - v[:, 1:])


def paper_form(v: Float[Tensor, "n lap"], alpha: float) -> Float[Tensor, "n step"]:
    """Eq. 7 to the letter, unbounded below: -(v_j - (1 + alpha) v_{j-1})."""
    return -(v[:, 1:] - (1 + alpha) * v[:, :-1])


def log_form(s: Float[Tensor, "n lap"], alpha: float) -> Float[Tensor, "n step"]:
    """The hinge between log-variances: the same for every scale of the embedding."""
    return torch.relu(math.log1p(alpha) + s[:, :-1] - s[:, 1:])


def lap_variance(
    log_variance: Float[Tensor, "n row col feature"],
    *,
    alpha: float = 0.2,
    form: LapForm = "hinge",
    reduction: Reduction = "mean",
) -> Float[Tensor, ""]:
    """Penalises a lap whose spread does not exceed that of the next inner lap (Eq. 7).

    Args:
        log_variance: Log-variance of every pixel of every patch.
        alpha: How much larger the outer lap should be, as a share.
        form: `hinge` and `paper` compare standard deviations, `log` compares log-variances.
        reduction: `paper` sums over laps and averages over patches, `mean` averages over both.

    Returns:
        The penalty; zero for patches of one pixel, which have a single lap.

    Raises:
        UnknownNameError: If form or reduction do not exist.
        InvalidInputError: If the patches are not square or have no centre pixel.
    """
    if form not in get_args(LapForm):
        raise unknown_name("lap form", form, get_args(LapForm))
    require_reduction(reduction)
    if form == "log":
        penalty = log_form(lap_means(log_variance.mean(-1)), alpha)
    else:
        std = lap_means(torch.exp(0.5 * log_variance).mean(-1))
        penalty = (hinge_form if form == "hinge" else paper_form)(std, alpha)
    if penalty.shape[1] == 0:
        return log_variance.new_zeros(())
    return penalty.sum(1).mean() if reduction == "paper" else penalty.mean()
