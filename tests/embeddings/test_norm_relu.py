"""`NormRelu` against the framework's batch normalisation and ReLU, and numerical differences."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from pdml.embeddings import norm_relu
from pdml.embeddings.norm_relu import NormRelu
from pdml.native.norm_relu import groups_of


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes the compiled form also for small matrices."""
    if groups_of(torch.zeros(16, 16)) is None:
        pytest.skip("there is no compiler here")
    monkeypatch.setattr(norm_relu, "WORTH_COMPILED_CODE", 0)


def twins(n_channels: int) -> tuple[NormRelu, nn.BatchNorm1d]:
    """Ours in 32 bits and the framework's in 64, with the same weights and statistics."""
    generator = torch.Generator().manual_seed(0)
    ours, theirs = NormRelu(n_channels), nn.BatchNorm1d(n_channels).double()
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.add_(torch.randn(n_channels, generator=generator))
        ours.running_mean.copy_(torch.randn(n_channels, generator=generator))
        ours.running_var.copy_(0.5 + torch.rand(n_channels, generator=generator))
    theirs.load_state_dict(ours.state_dict(), strict=False)
    return ours, theirs


def batch(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1))


def require_same(shape: tuple[int, ...], *, training: bool, dtype: torch.dtype) -> None:
    """Outputs, gradients and statistics are those of the framework's two layers."""
    ours, theirs = twins(shape[-1])
    ours.to(dtype).train(training)
    theirs.train(training)
    direction = batch(*shape).flip(0)
    a = batch(*shape).to(dtype).requires_grad_()
    b = a.detach().double().requires_grad_()
    y = ours(a)
    expected = theirs(b.reshape(-1, shape[-1])).relu().view(shape)
    (y * direction).sum().backward()
    (expected * direction).sum().backward()
    pairs = [
        (y, expected), (a.grad, b.grad), (ours.weight.grad, theirs.weight.grad),
        (ours.bias.grad, theirs.bias.grad), (ours.running_mean, theirs.running_mean),
        (ours.running_var, theirs.running_var),
    ]  # fmt: skip
    tolerance = 1e-5 if dtype == torch.float32 else 1e-12
    for one, other in pairs:
        assert one is not None
        assert one.dtype == dtype
        torch.testing.assert_close(
            one, other, rtol=tolerance, atol=10 * tolerance, check_dtype=False
        )


@pytest.mark.parametrize("shape", [(6, 5, 5, 4), (97, 4), (11, 3, 4), (2, 4)])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_it_equals_the_two_layers_of_the_framework(
    shape: tuple[int, ...], training: bool, dtype: torch.dtype
) -> None:
    require_same(shape, training=training, dtype=dtype)


@pytest.mark.parametrize("shape", [(8, 5, 5, 4), (96, 24), (32, 3, 16), (48, 5), (2, 128)])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.usefixtures("compiled")
def test_the_compiled_form_equals_the_two_layers_of_the_framework(
    shape: tuple[int, ...], training: bool
) -> None:
    assert groups_of(batch(*shape).view(-1, shape[-1])) is not None
    require_same(shape, training=training, dtype=torch.float32)


@pytest.mark.usefixtures("compiled")
def test_a_matrix_that_the_compiled_form_cannot_take_goes_the_other_way() -> None:
    assert groups_of(batch(97, 4)) is None
    require_same((97, 4), training=True, dtype=torch.float32)


@pytest.mark.usefixtures("compiled")
def test_the_compiled_form_evaluates_alike_with_and_without_gradients() -> None:
    module = twins(4)[0].eval()
    with torch.no_grad():
        without = module(batch(8, 4))
    torch.testing.assert_close(without, module(batch(8, 4)))


def test_gradients_are_those_of_numerical_differences() -> None:
    module = twins(3)[0].double()

    def normalised(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        parameters = {"weight": weight, "bias": bias}
        y: Tensor = torch.func.functional_call(module, parameters, (x,))
        return y

    inputs = (batch(4, 2, 3).double(), module.weight.detach(), module.bias.detach())
    assert torch.autograd.gradcheck(normalised, [one.requires_grad_() for one in inputs])


def require_accurate_at(offset: float) -> None:
    single = (batch(640, 4).double() + offset).float()
    expected = NormRelu(4).double()(single.double())
    # Sums of plain squares would be wrong by 6 at an offset of 10 000.
    atol = 1e-5 + 2e-6 * offset
    torch.testing.assert_close(NormRelu(4)(single).double(), expected, rtol=1e-5, atol=atol)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e4])
def test_a_mean_far_above_the_spread_costs_little_accuracy(offset: float) -> None:
    require_accurate_at(offset)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e4])
@pytest.mark.usefixtures("compiled")
def test_nor_does_it_in_the_compiled_form(offset: float) -> None:
    require_accurate_at(offset)


def require_close_in_sixteen_bits() -> None:
    ours, theirs = twins(4)
    brief = batch(8, 5, 5, 4).bfloat16().requires_grad_()
    with torch.autocast("cpu", torch.bfloat16):
        y = ours(brief)
    y.float().sum().backward()
    rows = brief.detach().double().view(-1, 4).requires_grad_()
    expected = theirs(rows).relu()
    expected.sum().backward()
    assert brief.grad is not None
    assert rows.grad is not None
    assert y.dtype == brief.grad.dtype == torch.bfloat16
    assert ours.running_mean.dtype == torch.float32
    torch.testing.assert_close(y.double().view(-1, 4), expected, rtol=1e-2, atol=1e-2)
    torch.testing.assert_close(brief.grad.double().view(-1, 4), rows.grad, rtol=2e-2, atol=2e-2)
    for name in ("running_mean", "running_var"):
        moved, wanted = getattr(ours, name).double(), getattr(theirs, name)
        torch.testing.assert_close(moved, wanted, rtol=1e-5, atol=1e-6)


def test_sixteen_bit_input_stays_close_and_keeps_32_bit_statistics() -> None:
    require_close_in_sixteen_bits()


@pytest.mark.usefixtures("compiled")
def test_sixteen_bit_input_stays_close_in_the_compiled_form() -> None:
    require_close_in_sixteen_bits()


@pytest.mark.parametrize("n", [1, 16])
@pytest.mark.usefixtures("compiled")
def test_memory_order_of_input_and_gradient_does_not_matter(n: int) -> None:
    module = NormRelu(4)
    channels_first = batch(n, 4, 4, 4)
    direction = batch(n, 4, 4, 4).flip(1)
    a = channels_first.clone().requires_grad_()
    (module(a.permute(0, 2, 3, 1)).permute(0, 3, 1, 2) * direction).sum().backward()
    b = channels_first.permute(0, 2, 3, 1).contiguous().requires_grad_()
    (module(b) * direction.permute(0, 2, 3, 1).contiguous()).sum().backward()
    assert a.grad is not None
    torch.testing.assert_close(a.grad.permute(0, 2, 3, 1), b.grad)


def test_a_single_value_per_channel_is_normalised_with_the_running_statistics() -> None:
    module = twins(4)[0]
    expected = module.eval()(batch(1, 4))
    torch.testing.assert_close(module.train()(batch(1, 4)), expected)
    assert torch.isfinite(module.running_var).all()
