"""The compiled passes against convolutions written out, on whole numbers, where sums are exact."""

from __future__ import annotations

import pytest
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import conv1d

from pdml.native import spectral
from pdml.native.spectral import SCALE, Passes

SIZES = [(1, 1, 16), (3, 5, 24), (5, 97, 24), (18, 40, 32), (16, 29, 16), (4, 48, 24), (17, 9, 5)]
SIZES += [(2, 8, 35)]
"""Pixels, positions, channels."""


@pytest.fixture(params=SIZES, ids=str)
def size(request: pytest.FixtureRequest) -> tuple[int, int, int]:
    n_pixels, n_positions, n_channels = request.param
    return n_pixels, n_positions, n_channels


@pytest.fixture(params=spectral.FORMS)
def passes(request: pytest.FixtureRequest, size: tuple[int, int, int]) -> Passes:
    n_pixels, n_positions, n_channels = size
    if not spectral.runs(request.param, n_channels):
        pytest.skip("these passes are not for this processor or number of channels")
    n_bands = spectral.STRIDE * (n_positions - 1) + spectral.TAPS
    return Passes(n_pixels, n_bands, n_positions, n_channels, form=request.param, eps=0.0)


def whole(*shape: int, seed: int) -> Tensor:
    """-1, 0 and 1: sums of a few hundred products of them are exact in bfloat16."""
    return torch.randint(-1, 2, shape, generator=torch.Generator().manual_seed(seed)).float()


def identity(passes: Passes) -> Float[Tensor, "vector channel"]:
    """A normalisation that changes nothing, whose gradient passes unchanged."""
    norm = passes.norms(1)[0]
    norm[SCALE] = 1
    return norm


def start(passes: Passes) -> tuple[Tensor, Tensor]:
    """Activations made by the first convolution, and what they are: (pixel, channel, position)."""
    pixels = whole(passes.n_pixels, passes.n_bands, seed=0)
    weight, bias = whole(passes.n_channels, spectral.TAPS, seed=1), whole(passes.n_channels, seed=2)
    made = passes.first(pixels, weight, bias, identity(passes), moments=False)
    return made, conv1d(pixels[:, None], weight[:, None], bias, stride=spectral.STRIDE)


def seen(passes: Passes, activations: Tensor) -> Float[Tensor, "pixel channel position"]:
    """What is kept, after ReLU."""
    rows = passes.rows(activations, identity(passes)).float()
    return rows.view(passes.n_pixels, passes.n_positions, passes.n_channels).transpose(1, 2)


def test_the_first_convolution(passes: Passes) -> None:
    made, expected = start(passes)
    torch.testing.assert_close(seen(passes, made), expected.relu(), rtol=0, atol=0)


@pytest.mark.parametrize("normalised", [None, False, True])
def test_a_convolution_and_what_is_added(passes: Passes, normalised: bool | None) -> None:
    made, x = start(passes)
    n = passes.n_channels
    weight, bias = whole(n, n, 1, spectral.TAPS, seed=3), whole(n, seed=4)
    residual = None if normalised is None else (made, identity(passes) if normalised else None)
    y = passes.convolve(made, identity(passes), (weight, bias), residual, identity(passes),
                        moments=False)  # fmt: skip
    expected = conv1d(x.relu(), weight[:, :, 0], bias, padding=3)
    if normalised is not None:
        expected = expected + (x.relu() if normalised else x)
    # Rounded to bfloat16 where that is what is kept: most sums are exact, large ones are not.
    torch.testing.assert_close(seen(passes, y), expected.relu().to(passes.dtype).float())


def test_statistics_are_those_of_the_outputs(passes: Passes) -> None:
    if passes.n_pixels * passes.n_positions == 1:
        pytest.skip("one value has no variance")
    pixels = torch.randn(passes.n_pixels, passes.n_bands, generator=torch.manual_seed(0)) + 3
    n = passes.n_channels
    weight, bias = whole(n, spectral.TAPS, seed=1), whole(n, seed=2)
    norm = passes.norms(1)[0]
    passes.first(pixels, weight, bias + 7, norm, moments=True)
    y = conv1d(pixels[:, None].double(), weight[:, None].double(), bias.double() + 7, stride=2)
    values = y.transpose(0, 1).flatten(1)
    torch.testing.assert_close(
        norm[spectral.MEAN, :n], values.mean(1).float(), rtol=1e-4, atol=1e-4
    )
    variance = values.var(1, correction=0).float()
    torch.testing.assert_close(norm[spectral.VARIANCE, :n], variance, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("past_and_skip", [False, True])
def test_gradients_of_a_convolution(passes: Passes, past_and_skip: bool) -> None:
    made, x = start(passes)
    n, shape = passes.n_channels, (passes.n_pixels, passes.n_positions * passes.n_channels)
    weight = whole(n, n, 1, spectral.TAPS, seed=3)
    always = identity(passes)
    always[spectral.SHIFT] = 10_000  # so that nothing is cut off on the way in
    arriving = whole(*shape, seed=5)
    h = passes.rows_backward(arriving.to(passes.dtype), made, always)
    other = passes.rows_backward(whole(*shape, seed=6).to(passes.dtype), made, always)
    always[4:] = 0
    always[SCALE] = 1
    past, skip, kept = (other, other, passes.activations()) if past_and_skip else (None, None, None)
    arrived, of_weight, of_bias = passes.convolve_backward(
        (h, made, always, past), kept, made, identity(passes), weight, skip
    )

    def planes(rows: Tensor) -> Tensor:
        return rows.view(passes.n_pixels, passes.n_positions, n).transpose(1, 2)

    of_y = planes(arriving) + (planes(whole(*shape, seed=6)) if past_and_skip else 0)
    x_in, w_in = x.relu().requires_grad_(), weight[:, :, 0].clone().requires_grad_()
    conv1d(x_in, w_in, padding=3).backward(of_y)  # type: ignore[no-untyped-call]
    assert x_in.grad is not None
    assert w_in.grad is not None
    torch.testing.assert_close(of_weight[:, :, 0], w_in.grad, rtol=0, atol=0)
    torch.testing.assert_close(of_bias, of_y.sum((0, 2)), rtol=0, atol=0)
    expected = x_in.grad + (planes(whole(*shape, seed=6)) if past_and_skip else 0)
    expected = torch.where(x > 0, expected, 0.0)
    for sign in (1, -1):  # what is kept can be seen through relu only
        signed = identity(passes)
        signed[SCALE] = sign
        rows = passes.rows(arrived, signed).float()
        torch.testing.assert_close(planes(rows), (sign * expected).relu().to(passes.dtype).float())


def test_gradients_of_the_first_convolution(passes: Passes) -> None:
    made, _ = start(passes)
    pixels = whole(passes.n_pixels, passes.n_bands, seed=0)
    weight = whole(passes.n_channels, spectral.TAPS, seed=1)
    norm = identity(passes)
    norm[spectral.SHIFT] = 10_000
    arriving = whole(passes.n_pixels, passes.n_positions * passes.n_channels, seed=5)
    h = passes.rows_backward(arriving.to(passes.dtype), made, norm)
    norm[4:] = 0
    norm[SCALE] = 1
    of_pixels, of_weight, of_bias = passes.first_backward(
        (h, made, norm), pixels, weight, of_pixels=True
    )
    spectra, kernel = pixels.clone().requires_grad_(), weight.clone().requires_grad_()
    planes = arriving.view(passes.n_pixels, passes.n_positions, passes.n_channels).transpose(1, 2)
    conv1d(spectra[:, None], kernel[:, None], stride=spectral.STRIDE).backward(planes)  # type: ignore[no-untyped-call]
    assert of_pixels is not None
    torch.testing.assert_close(of_pixels, spectra.grad, rtol=0, atol=0)
    torch.testing.assert_close(of_weight, kernel.grad, rtol=0, atol=0)
    torch.testing.assert_close(of_bias, planes.sum((0, 2)), rtol=0, atol=0)
