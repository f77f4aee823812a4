"""The fused probabilistic contrastive loss against its plain form and its limits."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from pdml.benchmarks.naive_pair_loss import naive_pair_loss
from pdml.losses.match_tiles import match_tile
from pdml.losses.pair_tiles import tiled_pair_loss

from .conftest import Batch


def fused(samples: Tensor, classes: Tensor, a: Tensor, b: Tensor, tile_pixels: int = 8) -> Tensor:
    return tiled_pair_loss(samples, classes, match_tile, (a, b), tile_pixels=tile_pixels)


def gradients(loss: Tensor, batch: Batch) -> tuple[Tensor, ...]:
    samples, _, a, b = batch
    return torch.autograd.grad(loss, (samples, a, b))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_value_and_gradients_equal_those_of_the_plain_form(
    batch: Callable[..., Batch], k: int
) -> None:
    args = batch(k=k)
    loss, plain = fused(*args), naive_pair_loss(*args)
    torch.testing.assert_close(loss, plain, rtol=1e-12, atol=0)
    torch.testing.assert_close(
        gradients(loss, args), gradients(plain, args), rtol=1e-10, atol=1e-12
    )


def test_float32_agrees_with_the_plain_form_to_one_millionth(
    batch: Callable[..., Batch],
) -> None:
    args = batch(n=150, dtype=torch.float32)
    loss, plain = fused(*args, tile_pixels=64), naive_pair_loss(*args)
    torch.testing.assert_close(loss, plain, rtol=1e-6, atol=0)
    for got, expected in zip(gradients(loss, args), gradients(plain, args), strict=True):
        assert (got - expected).norm() <= 2e-6 * expected.norm()


def test_float32_is_as_near_to_float64_as_its_digits_allow(batch: Callable[..., Batch]) -> None:
    single, double = batch(n=60, dtype=torch.float32), batch(n=60)
    first, second = fused(*single), fused(*double)
    assert first.item() == pytest.approx(second.item(), rel=1e-6)
    for got, expected in zip(gradients(first, single), gradients(second, double), strict=True):
        assert (got.double() - expected).norm() <= 2e-6 * expected.norm()


def test_small_slopes_of_pairs_that_are_nearly_right_keep_their_digits() -> None:
    # Every logit is about 20: a slope of 2e-9, where one minus a float32 probability is zero.
    samples = torch.tensor([[[0.0]], [[1.0]]], requires_grad=True)
    a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(22.0)
    loss = fused(samples, torch.tensor([0, 0]), a, b)
    (slope,) = torch.autograd.grad(loss, a)
    assert slope.item() == pytest.approx(1 / (1 + torch.e**20), rel=1e-4)


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("check", [fused, naive_pair_loss])
def test_the_gradient_equals_finite_differences(
    batch: Callable[..., Batch], k: int, check: Callable[..., Tensor]
) -> None:
    samples, classes, a, b = batch(n=5, k=k)
    assert torch.autograd.gradcheck(lambda z, p, q: check(z, classes, p, q), (samples, a, b))


def test_in_log_space_the_gradient_equals_finite_differences(
    batch: Callable[..., Batch],
) -> None:
    samples, classes, _, b = batch(n=5)
    a = torch.tensor(300.0, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda z, p: fused(z, classes, p, b), (samples, a))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("logit", [1e4, -1e4])
def test_extreme_logits_have_the_value_and_slope_of_their_limit(
    dtype: torch.dtype, same: bool, logit: float
) -> None:
    samples = torch.tensor([0.0, 1.0], dtype=dtype).view(2, 1, 1).repeat(1, 3, 1).requires_grad_()
    classes = torch.tensor([0, 0 if same else 1])
    a = torch.tensor(5.0, dtype=dtype, requires_grad=True)
    b = torch.tensor(5.0 + logit, dtype=dtype, requires_grad=True)
    loss = fused(samples, classes, a, b)
    wrong = same == (logit < 0)
    assert loss.item() == pytest.approx(1e4 if wrong else 0, rel=1e-6)
    to_samples, to_a, to_b = torch.autograd.grad(loss, (samples, a, b))
    sign = 1.0 if same else -1.0
    assert to_a.item() == pytest.approx(sign * wrong, rel=1e-5)
    assert to_b.item() == pytest.approx(-sign * wrong, rel=1e-5)
    assert to_samples[1].sum().item() == pytest.approx(5 * sign * wrong, rel=1e-5)


def test_tiles_of_the_log_space_and_of_the_plain_space_add_up(
    batch: Callable[..., Batch],
) -> None:
    samples, classes, a, b = batch()
    far = samples.detach().clone()
    far[:4] += 1e3 * torch.arange(1, 5, dtype=far.dtype)[:, None, None]
    args = (far.requires_grad_(), classes, a, b)
    loss, plain = fused(*args), naive_pair_loss(*args)
    torch.testing.assert_close(loss, plain, rtol=1e-10, atol=0)
    torch.testing.assert_close(gradients(loss, args), gradients(plain, args), rtol=1e-8, atol=1e-9)


def test_without_spread_it_is_the_cross_entropy_of_the_means(batch: Callable[..., Batch]) -> None:
    samples, classes, a, b = batch(k=1)
    i, j = torch.triu_indices(len(samples), len(samples), offset=1)
    distance = (samples[i, 0] - samples[j, 0]).norm(dim=1)
    target = (classes[i] == classes[j]).double()
    expected = binary_cross_entropy_with_logits(-a * distance + b, target, reduction="sum")
    for k in (1, 3):  # K = 1, and any K when all samples of a pixel fall together
        got = fused(samples.expand(-1, k, -1), classes, a, b)
        torch.testing.assert_close(got, expected, rtol=1e-6, atol=0)


def test_points_that_fall_together_have_a_finite_gradient() -> None:
    samples = torch.ones(6, 3, 4, requires_grad=True)
    one = torch.tensor(1.0, requires_grad=True)
    loss = fused(samples, torch.tensor([0, 0, 0, 1, 1, 1]), one, one)
    (slope,) = torch.autograd.grad(loss, samples)
    assert torch.isfinite(loss)
    torch.testing.assert_close(slope, torch.zeros_like(slope), atol=1e-5, rtol=0)
