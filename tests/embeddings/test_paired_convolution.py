"""Two convolutions at once against the framework's own, one after the other."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn.functional import conv2d

from pdml.embeddings import paired_convolution as module
from pdml.embeddings.paired_convolution import paired_convolution
from pdml.embeddings.patch_convolution import PatchConvolution


def layers(dtype: torch.dtype) -> tuple[PatchConvolution, PatchConvolution]:
    torch.manual_seed(0)
    return PatchConvolution(6, 4).to(dtype), PatchConvolution(6, 4).to(dtype)


def by_itself(x: Tensor, layer: PatchConvolution) -> Tensor:
    y = conv2d(x.permute(0, 3, 1, 2), layer.weight, layer.bias, padding=1)
    return y.permute(0, 2, 3, 1)


@pytest.mark.parametrize("shape", [(5, 5, 5, 6), (3, 1, 1, 6), (2, 3, 7, 6)])
@pytest.mark.parametrize("most", [2**20, 0])
def test_values_and_gradients_are_those_of_each_by_itself(
    shape: tuple[int, ...], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_GATHERED", most)
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True)
    first, second = layers(torch.float64)
    weights = [*first.parameters(), *second.parameters()]
    got, expected = (
        paired_convolution(x, first, second),
        (by_itself(x, first), by_itself(x, second)),
    )
    upstream = [torch.randn(y.shape, generator=generator, dtype=y.dtype) for y in expected]
    torch.testing.assert_close(got, expected)
    torch.testing.assert_close(
        torch.autograd.grad(got, [x, *weights], upstream),
        torch.autograd.grad(expected, [x, *weights], upstream),
    )


def test_the_gradient_equals_finite_differences() -> None:
    first, second = layers(torch.float64)
    x = torch.randn(2, 3, 3, 6, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda v: paired_convolution(v, first, second), x)


def test_a_loss_of_one_of_the_two_leaves_the_other_without_a_slope() -> None:
    first, second = layers(torch.float32)
    mean, _ = paired_convolution(torch.ones(2, 3, 3, 6), first, second)
    torch.autograd.backward(mean.sum())
    assert float(first.weight.grad.abs().max()) > 0  # type: ignore[union-attr]
    assert float(second.weight.grad.abs().max()) == 0  # type: ignore[union-attr]


def test_features_in_bfloat16_are_convolved_in_float32_also_under_autocast() -> None:
    first, second = layers(torch.float32)
    x = torch.randn(2, 3, 3, 6, generator=torch.Generator().manual_seed(2)).bfloat16()
    with torch.autocast("cpu", torch.bfloat16):
        mean, log_variance = paired_convolution(x, first, second)
    assert mean.dtype == log_variance.dtype == torch.float32
    torch.testing.assert_close(mean, by_itself(x.float(), first))
