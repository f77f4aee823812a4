"""The expected match probability in closed form against samples and against its limits."""

from __future__ import annotations

import math

import pytest
import torch

from pdml.losses.expected_match import expected_match_logit


@pytest.mark.parametrize("n_features", [4, 64])
@pytest.mark.parametrize("spread", [0.05, 0.3, 1.0])
def test_it_agrees_with_the_mean_over_samples(n_features: int, spread: float) -> None:
    generator = torch.Generator().manual_seed(0)
    difference = torch.randn(n_features, generator=generator)
    variance = spread * torch.rand(n_features, generator=generator)
    noise = torch.randn(40000, n_features, generator=generator)
    distance = (difference + variance.sqrt() * noise).norm(dim=1)
    for a, threshold in ((0.5, 0.8), (2.0, 1.0), (4.0, 1.2)):
        b = a * threshold * difference.norm()
        expected = torch.sigmoid(-a * distance + b).mean()
        found = expected_match_logit(difference, variance, torch.tensor(a), b).sigmoid()
        assert float(found) == pytest.approx(float(expected), abs=0.012)


def test_without_variance_it_is_the_sigmoid_of_the_distance() -> None:
    difference = torch.tensor([[3.0, 4.0], [0.0, 0.0]])
    found = expected_match_logit(
        difference, torch.zeros(2, 2), torch.tensor(2.0), torch.tensor(7.0)
    )
    torch.testing.assert_close(found, torch.tensor([-2.0 * 5 + 7, 7.0]))


def test_the_spread_of_a_single_coordinate_is_that_of_a_normal_variable_far_from_zero() -> None:
    # |x| of x ~ N(50, 4) is N(50, 4); MacKay's formula by hand.
    found = expected_match_logit(
        torch.tensor([50.0]), torch.tensor([4.0]), torch.tensor(0.3), torch.tensor(12.0)
    )
    by_hand = (-0.3 * 50 + 12) / math.sqrt(1 + math.pi / 8 * 0.3**2 * 4)
    assert float(found) == pytest.approx(by_hand, rel=2e-3)
