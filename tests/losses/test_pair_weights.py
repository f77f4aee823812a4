"""How much each pair counts."""

from __future__ import annotations

import pytest
import torch

from pdml.errors import InvalidInputError, UnknownNameError
from pdml.losses.pair_weights import pair_weights, require_balance

CLASSES = torch.tensor([0, 1, 0, 0, 2])  # 10 pairs, 3 of them of the same class


def test_the_paper_divides_by_pixels_and_the_mean_by_pairs() -> None:
    assert pair_weights(CLASSES, reduction="paper", balance="none") == (0.2, 0.2)
    assert pair_weights(CLASSES, reduction="mean", balance="none") == (0.1, 0.1)


def test_balanced_pairs_share_the_mean_in_halves() -> None:
    same, other = pair_weights(CLASSES, reduction="mean", balance="posneg")
    assert same * 3 == pytest.approx(0.5)
    assert other * 7 == pytest.approx(0.5)


@pytest.mark.parametrize("classes", [[0], [0, 0], [0, 1]])
def test_weights_are_finite_when_a_kind_of_pair_is_absent(classes: list[int]) -> None:
    weights = pair_weights(torch.tensor(classes), reduction="mean", balance="posneg")
    assert all(0 < weight <= 0.5 for weight in weights)


def test_an_unknown_balance_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown balance 'posnegs'; did you mean 'posneg'"):
        require_balance("posnegs", "mean")


def test_balanced_pairs_are_refused_in_the_sum_of_the_paper() -> None:
    with pytest.raises(InvalidInputError, match="balance = 'posneg' needs reduction = 'mean'"):
        require_balance("posneg", "paper")
