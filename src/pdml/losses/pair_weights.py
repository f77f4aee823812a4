"""How much each pair of pixels counts in a loss over all pairs."""

from __future__ import annotations

from typing import Literal, get_args

import torch
from jaxtyping import Int
from torch import Tensor

from pdml.errors import InvalidInputError, unknown_name
from pdml.losses.reduction import Reduction

Balance = Literal["none", "posneg"]
"""`none`: every pair counts alike; `posneg`: same-class pairs together count half."""


def require_balance(name: str, reduction: Reduction) -> None:
    """Refuses a balance that does not exist or that the reduction does not leave room for.

    Raises:
        UnknownNameError: With the nearest name.
        InvalidInputError: If pairs are to be balanced in the paper's sum.
    """
    if name not in get_args(Balance):
        raise unknown_name("balance", name, get_args(Balance))
    if name == "posneg" and reduction == "paper":
        raise InvalidInputError(
            "balance = 'posneg' needs reduction = 'mean', got 'paper', whose sum counts every "
            "pair alike; try reduction = 'mean'"
        )


def pair_weights(
    classes: Int[Tensor, " pixel"], *, reduction: Reduction, balance: Balance
) -> tuple[float, float]:
    """Weight of each pair of the same class and of each pair of different classes.

    Args:
        classes: Class of every pixel of the batch.
        reduction: `paper` divides by the number of pixels (Eq. 15), `mean` by that of pairs.
        balance: Whether the two kinds of pairs share the mean in halves.
    """
    n = len(classes)
    n_pairs = n * (n - 1) // 2
    if balance == "posneg":
        counts = torch.unique(classes, return_counts=True)[1]
        n_same = int((counts * (counts - 1)).sum()) // 2
        return 0.5 / max(n_same, 1), 0.5 / max(n_pairs - n_same, 1)
    weight = 1 / n if reduction == "paper" else 1 / max(n_pairs, 1)
    return weight, weight
