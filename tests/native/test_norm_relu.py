"""The compiled batch normalisation and ReLU against the framework's, in double precision."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn.functional import batch_norm, relu

from pdml.embeddings import norm_relu
from pdml.embeddings.norm_relu import NormRelu
from pdml.native.build import load
from pdml.native.norm_relu import groups_of

pytestmark = pytest.mark.skipif(load("norm_relu") is None, reason="needs a C compiler")

SHAPES = [(40, 97, 24), (16, 5, 5, 24), (64, 128), (32, 7)]


@pytest.fixture(autouse=True)
def also_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(norm_relu, "WORTH_COMPILED_CODE", 0)


def example(shape: tuple[int, ...], offset: float = 3.0) -> tuple[NormRelu, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    layer = NormRelu(shape[-1])
    with torch.no_grad():
        layer.weight.uniform_(-2, 2, generator=generator)
        layer.bias.normal_(generator=generator)
    x = torch.randn(shape, generator=generator) * 2 + offset
    return layer, x, torch.randn(shape, generator=generator)


def reference(layer: NormRelu, x: Tensor, g: Tensor) -> list[Tensor]:
    """Output and gradients of x, weight and bias from the framework in float64."""
    leaves = [t.detach().double().requires_grad_() for t in (x, layer.weight, layer.bias)]
    rows = leaves[0].reshape(-1, x.shape[-1])
    y = relu(batch_norm(rows, None, None, leaves[1], leaves[2], training=True)).view(x.shape)
    return [y, *torch.autograd.grad(y, leaves, g.double())]


@pytest.mark.parametrize("shape", SHAPES)
def test_output_and_gradients_are_those_of_the_framework(shape: tuple[int, ...]) -> None:
    layer, x, g = example(shape)
    assert groups_of(x.view(-1, shape[-1])) is not None
    x.requires_grad_()
    y = layer(x)
    found = [y, *torch.autograd.grad(y, [x, layer.weight, layer.bias], g)]
    for ours, theirs in zip(found, reference(layer, x, g), strict=True):
        torch.testing.assert_close(ours.double(), theirs, rtol=2e-4, atol=2e-5)


def test_a_mean_far_from_zero_costs_no_digits() -> None:
    layer, x, g = example((40, 97, 24), offset=1e4)
    torch.testing.assert_close(layer(x).double(), reference(layer, x, g)[0], rtol=1e-2, atol=5e-3)


def test_an_outlier_in_the_first_row_costs_no_digits() -> None:
    layer, x, g = example((400, 97, 24))
    x[0] *= 1e4
    torch.testing.assert_close(layer(x).double(), reference(layer, x, g)[0], rtol=1e-4, atol=1e-5)


def test_running_statistics_are_those_of_the_framework() -> None:
    layer, x, _ = example((40, 97, 24))
    theirs = torch.nn.BatchNorm1d(24)
    layer(x)
    theirs(x.view(-1, 24))
    torch.testing.assert_close(layer.running_mean, theirs.running_mean)
    torch.testing.assert_close(layer.running_var, theirs.running_var)


@pytest.mark.parametrize("with_gradient", [True, False])
def test_evaluation_uses_the_running_statistics(with_gradient: bool) -> None:
    layer, x, _ = example((40, 97, 24))
    layer(x)
    layer.eval()
    expected = relu(
        batch_norm(x.view(-1, 24), layer.running_mean, layer.running_var, layer.weight, layer.bias)
    )
    with torch.set_grad_enabled(with_gradient):
        torch.testing.assert_close(layer(x).view(-1, 24), expected, rtol=1e-5, atol=1e-5)


def test_bfloat16_is_rounded_only_on_the_way_in_and_out() -> None:
    layer, x, g = example((40, 97, 24))
    x, g = x.bfloat16().requires_grad_(), g.bfloat16()
    y = layer(x)
    assert y.dtype == torch.bfloat16
    (gradient,) = torch.autograd.grad(y, [x], g)
    expected = reference(layer, x, g)
    torch.testing.assert_close(y.double(), expected[0], rtol=2**-8, atol=1e-6)
    torch.testing.assert_close(gradient.double(), expected[1], rtol=2**-7, atol=1e-3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_what_is_not_a_number_is_not_hidden(dtype: torch.dtype) -> None:
    layer, x, _ = example((40, 97, 24))
    x[3, 5, 7] = float("nan")
    assert layer(x.to(dtype))[..., 7].isnan().all()


def test_repeats_to_the_last_bit() -> None:
    layer, x, _ = example((400, 97, 24))
    assert torch.equal(layer(x), layer(x))


def test_row_counts_that_do_not_fill_a_group_are_left_to_the_framework() -> None:
    layer, x, g = example((31, 24))
    assert groups_of(x) is None
    torch.testing.assert_close(layer(x).double(), reference(layer, x, g)[0], rtol=1e-4, atol=1e-5)
