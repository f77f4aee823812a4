"""Products and the linear layer through oneDNN against the framework's."""

from __future__ import annotations

import torch
from torch import nn

from pdml.native.product import FastLinear, transposed_product


def test_the_product_takes_views_of_any_layout() -> None:
    generator = torch.Generator().manual_seed(0)
    x, y = (torch.randn(shape, generator=generator) for shape in ((7, 5), (5, 9)))
    expected = (x.double() @ y.double()).float()
    torch.testing.assert_close(transposed_product(x, y.t()), expected)
    torch.testing.assert_close(
        transposed_product(x.t().contiguous().t(), y.t().contiguous()), expected
    )


def test_float64_stays_float64() -> None:
    x = torch.ones(2, 3, dtype=torch.float64) / 3
    assert transposed_product(x, x).dtype == torch.float64


def test_the_layer_and_its_gradients_are_those_of_linear() -> None:
    torch.manual_seed(0)
    fast, plain = FastLinear(40, 6), nn.Linear(40, 6)
    plain.load_state_dict(fast.state_dict())
    x = torch.randn(11, 40, requires_grad=True)
    g = torch.randn(11, 6)
    ours = torch.autograd.grad(fast(x), [x, *fast.parameters()], g)
    theirs = torch.autograd.grad(plain(x), [x, *plain.parameters()], g)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)


def test_autocast_is_respected() -> None:
    layer = FastLinear(8, 4)
    with torch.autocast("cpu", torch.bfloat16):
        assert layer(torch.ones(2, 8)).dtype == torch.bfloat16
