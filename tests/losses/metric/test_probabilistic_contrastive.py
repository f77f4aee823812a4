"""The options and parameters of the paper's loss."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdml.errors import InvalidInputError
from pdml.losses.metric.probabilistic_contrastive import ProbabilisticContrastive
from tests.reference.probabilistic_contrastive import by_loops


def two_clouds() -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    classes = torch.tensor([0, 1, 1, 0, 1, 2, 1])
    return torch.randn(7, 2, 3, generator=generator), classes


def test_balanced_pairs_equal_plain_loops() -> None:
    loss = ProbabilisticContrastive(balance="posneg")
    samples, classes = two_clouds()
    loss.start(samples)
    expected = by_loops(loss, samples, classes)
    assert loss(samples, classes).item() == pytest.approx(expected, rel=1e-5)


def test_after_the_start_the_probability_at_the_median_distance_is_one_half() -> None:
    loss = ProbabilisticContrastive()
    samples, _ = two_clouds()
    loss.start(samples)
    median = torch.pdist(samples[:, 0]).median()
    assert (-loss.log_a.exp() * median + loss.b).item() == pytest.approx(0, abs=1e-5)


def test_the_slope_stays_positive_however_far_it_is_pushed() -> None:
    loss = ProbabilisticContrastive()
    samples, classes = two_clouds()
    for _ in range(20):  # one class only wants a = 0
        value = loss(samples, torch.zeros_like(classes))
        slopes = torch.autograd.grad(value, list(loss.parameters()))
        with torch.no_grad():
            for parameter, slope in zip(loss.parameters(), slopes, strict=True):
                parameter.sub_(0.5 * slope)
    assert loss.log_a.exp().item() > 0
    assert loss.log_a.item() < 0


def test_balanced_pairs_are_refused_in_the_sum_of_the_paper() -> None:
    with pytest.raises(InvalidInputError, match="try reduction = 'mean'"):
        ProbabilisticContrastive(reduction="paper", balance="posneg")
