"""`NormRelu` against the framework's batch normalisation and ReLU, and numerical differences."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from pdml.embeddings.norm_relu import NormRelu, channel_sum


def twins(n_channels: int, dtype: torch.dtype = torch.float64) -> tuple[NormRelu, nn.BatchNorm1d]:
    """Both forms with the same weights and statistics."""
    generator = torch.Generator().manual_seed(0)
    ours, theirs = NormRelu(n_channels).to(dtype), nn.BatchNorm1d(n_channels).to(dtype)
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.add_(torch.randn(n_channels, generator=generator, dtype=dtype))
        ours.running_mean.copy_(torch.randn(n_channels, generator=generator))
        ours.running_var.copy_(0.5 + torch.rand(n_channels, generator=generator))
    theirs.load_state_dict(ours.state_dict(), strict=False)
    return ours, theirs


def batch(*shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1), dtype=dtype)


@pytest.mark.parametrize("shape", [(6, 5, 5, 4), (97, 4), (11, 3, 4), (2, 4)])
@pytest.mark.parametrize("training", [True, False])
def test_outputs_gradients_and_statistics_are_those_of_the_framework(
    shape: tuple[int, ...], training: bool
) -> None:
    ours, theirs = twins(4)
    ours.train(training)
    theirs.train(training)
    x = batch(*shape)
    direction = batch(*shape).flip(0)
    a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
    y = ours(a)
    expected = theirs(b.reshape(-1, 4)).relu().view(shape)
    (y * direction).sum().backward()
    (expected * direction).sum().backward()
    torch.testing.assert_close(y, expected)
    torch.testing.assert_close(a.grad, b.grad)
    torch.testing.assert_close(ours.weight.grad, theirs.weight.grad)
    torch.testing.assert_close(ours.bias.grad, theirs.bias.grad)
    torch.testing.assert_close(ours.running_mean, theirs.running_mean)
    torch.testing.assert_close(ours.running_var, theirs.running_var)


def test_gradients_are_those_of_numerical_differences() -> None:
    module, _ = twins(3)

    def normalised(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        parameters = {"weight": weight, "bias": bias}
        y: Tensor = torch.func.functional_call(module, parameters, (x,))
        return y

    inputs = (batch(4, 2, 3), module.weight.detach(), module.bias.detach())
    assert torch.autograd.gradcheck(normalised, [one.requires_grad_() for one in inputs])


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e4])
def test_a_mean_far_above_the_spread_costs_no_accuracy(offset: float) -> None:
    x = batch(640, 4) + offset
    single = x.float()
    ours = NormRelu(4)(single)
    expected = NormRelu(4).double()(single.double())
    torch.testing.assert_close(ours.double(), expected, rtol=1e-3, atol=1e-3)


def test_sixteen_bit_input_under_autocast_stays_close_and_keeps_32_bit_statistics() -> None:
    ours, theirs = twins(4, torch.float32)
    x = batch(8, 5, 5, 4, dtype=torch.float32)
    brief = x.bfloat16().requires_grad_()
    with torch.autocast("cpu", torch.bfloat16):
        y = ours(brief)
    y.float().sum().backward()
    rows = brief.detach().float().view(-1, 4).requires_grad_()
    expected = theirs(rows).relu()
    expected.sum().backward()
    assert y.dtype == torch.bfloat16
    assert brief.grad is not None
    assert rows.grad is not None
    assert brief.grad.dtype == torch.bfloat16
    assert ours.running_mean.dtype == torch.float32
    torch.testing.assert_close(y.float().view(-1, 4), expected, rtol=1e-2, atol=1e-2)
    torch.testing.assert_close(brief.grad.float().view(-1, 4), rows.grad, rtol=2e-2, atol=2e-2)
    torch.testing.assert_close(ours.running_mean, theirs.running_mean)
    torch.testing.assert_close(ours.running_var, theirs.running_var)


@pytest.mark.parametrize("n", [1, 2])
def test_memory_order_of_input_and_gradient_does_not_matter(n: int) -> None:
    module = NormRelu(4).double()
    channels_first = batch(n, 4, 5, 5)
    direction = batch(n, 4, 5, 5).flip(1)
    a = channels_first.clone().requires_grad_()
    (module(a.permute(0, 2, 3, 1)).permute(0, 3, 1, 2) * direction).sum().backward()
    b = channels_first.permute(0, 2, 3, 1).contiguous().requires_grad_()
    (module(b) * direction.permute(0, 2, 3, 1).contiguous()).sum().backward()
    assert a.grad is not None
    torch.testing.assert_close(a.grad.permute(0, 2, 3, 1), b.grad)


def test_a_single_value_per_channel_gives_the_shift_and_no_undefined_number() -> None:
    module, _ = twins(4)
    torch.testing.assert_close(module(batch(1, 4)), module.bias.relu()[None])
    assert torch.isfinite(module.running_var).all()


@pytest.mark.parametrize("n_rows", [1, 7, 97, 1009])
@pytest.mark.parametrize("repeats", [1, 3, 25])
def test_a_channel_sum_adds_all_rows_and_repeats(n_rows: int, repeats: int) -> None:
    values = batch(n_rows, repeats, 4)
    summed = channel_sum(values.view(n_rows, repeats * 4), 4)
    torch.testing.assert_close(summed, values.sum((0, 1)))
