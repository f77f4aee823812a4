"""The gathered convolution against the framework's, values and gradients."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn.functional import conv2d

from pdml.embeddings import patch_convolution
from pdml.embeddings.patch_convolution import PatchConvolution


def results(layer: PatchConvolution, x: Tensor, g: Tensor) -> list[Tensor]:
    y = layer(x)
    return [y.detach(), *torch.autograd.grad(y, [x, *layer.parameters()], g)]


@pytest.mark.parametrize("shape", [(3, 5, 5, 4), (1, 1, 1, 4), (2, 3, 7, 4)])
def test_equals_the_framework(shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    layer = PatchConvolution(4, 6).double()
    x = torch.randn(shape, dtype=torch.float64, requires_grad=True)
    g = torch.randn(*shape[:3], 6, dtype=torch.float64)
    y = conv2d(x.permute(0, 3, 1, 2), layer.weight, layer.bias, padding=1).permute(0, 2, 3, 1)
    expected = [y.detach(), *torch.autograd.grad(y, [x, *layer.parameters()], g)]
    for ours, theirs in zip(results(layer, x, g), expected, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_large_batches_take_the_other_way_to_the_same_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    torch.manual_seed(0)
    layer = PatchConvolution(4, 6).double()
    x = torch.randn(3, 5, 5, 4, dtype=torch.float64, requires_grad=True)
    g = torch.randn(3, 5, 5, 6, dtype=torch.float64)
    gathered = results(layer, x, g)
    monkeypatch.setattr(patch_convolution, "MOST_GATHERED", 0)
    for ours, theirs in zip(gathered, results(layer, x, g), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_it_stays_in_float32_under_autocast() -> None:
    layer = PatchConvolution(4, 6)
    with torch.autocast("cpu", torch.bfloat16):
        assert layer(torch.ones(1, 3, 3, 4, dtype=torch.bfloat16)).dtype == torch.float32


def test_gradients_are_those_of_numerical_differences() -> None:
    torch.manual_seed(0)
    layer = PatchConvolution(2, 3).double()
    x = torch.randn(2, 3, 3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, [x])
