"""The match probability, its limits and its start."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from pdml.losses.match_probability import log_mean_sigmoid, match_logit, match_start


def logits(scale: float = 5.0) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    return scale * torch.randn(3, 3, 40, generator=generator, dtype=torch.float64)


def test_the_mean_probability_equals_its_definition() -> None:
    expected = torch.sigmoid(logits()).mean((0, 1)).log()
    torch.testing.assert_close(log_mean_sigmoid(logits()), expected)


def test_the_probabilities_of_match_and_no_match_sum_to_one() -> None:
    both = torch.logaddexp(log_mean_sigmoid(logits(20)), log_mean_sigmoid(-logits(20)))
    torch.testing.assert_close(both, torch.zeros_like(both), atol=1e-14, rtol=0)


@pytest.mark.parametrize("logit", [1e4, -1e4])
def test_a_certain_pair_has_a_finite_value_and_gradient(logit: float) -> None:
    values = torch.full((3, 3, 1), logit, requires_grad=True)
    log_probability = log_mean_sigmoid(values)
    (slope,) = torch.autograd.grad(log_probability.sum(), values)
    assert log_probability.item() == pytest.approx(min(logit, 0), abs=1e-6)
    # One part in 1e4: the float32 numbers near 1e4 are 1e-3 apart.
    assert slope.sum().item() == pytest.approx(1 if logit < 0 else 0, abs=1e-4)


def test_the_probability_is_one_half_where_a_times_the_distance_is_b() -> None:
    logit = match_logit(torch.tensor(2.5), torch.tensor(4.0), torch.tensor(10.0))
    assert torch.sigmoid(logit).item() == 0.5


def test_the_start_puts_one_half_at_the_median_distance_and_spreads_by_the_quartiles() -> None:
    # Distances of 0, 1, 3 on a line: 1, 2, 3, whose quartiles are 1.5, 2 and 2.5.
    a, b = match_start(torch.tensor([0.0, 1.0, 3.0]).view(3, 1, 1))
    assert (a, b) == pytest.approx((4.0, 8.0))


def test_the_start_looks_at_evenly_spaced_pixels_only() -> None:
    samples = torch.zeros(1000, 2, 4)
    samples[::111, :, 0] = torch.arange(10.0)[:, None]
    all_of_them = torch.arange(10.0)
    gaps = sorted(abs(x - y) for x in all_of_them for y in all_of_them if x < y)
    a, b = match_start(samples, n_pixels=10)
    assert b / a == pytest.approx(gaps[len(gaps) // 2])


@pytest.mark.parametrize("n_pixels", [1, 2, 5])
def test_the_start_is_plain_where_all_distances_are_equal(n_pixels: int) -> None:
    a, b = match_start(torch.ones(n_pixels, 3, 4))
    assert (a, b) == (1.0, 0.0)
    assert math.isfinite(a * b)
