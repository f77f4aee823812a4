"""SSRN against published sizes and against the same network in `Conv3d` and `BatchNorm3d`."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor, nn

from pdml.benchmarks.plain_ssrn import PlainSsrn
from pdml.embeddings.backbones.ssrn import Ssrn
from pdml.embeddings.model import Model, ModelSpec, n_parameters
from pdml.embeddings.residual_spectra import n_band_positions
from pdml.errors import InvalidInputError

VARIANTS = ("article", "released")


def plain_network(n_bands: int, n_classes: int, **options: object) -> Model:
    return Model(
        ModelSpec(
            n_bands=n_bands,
            n_classes=n_classes,
            backbone_options=dict(options),
            head="point",
            classifier="pooled",
        )
    )


@pytest.mark.parametrize(
    ("n_bands", "n_classes", "published"),
    [(200, 16, 363_432), (103, 9, 215_801), (176, 13, 326_493), (144, 15, 277_391)],
)
def test_the_article_form_has_the_published_number_of_weights(
    n_bands: int, n_classes: int, published: int
) -> None:
    assert n_parameters(plain_network(n_bands, n_classes), norms=False) == published


def test_the_released_form_has_its_weights_and_those_of_the_projection() -> None:
    network = plain_network(200, 16, variant="released")
    assert n_parameters(network, norms=False) == 344_904 + (24 * 24 + 24)


def test_normalisation_adds_two_weights_per_channel_and_layer() -> None:
    network = plain_network(200, 16)
    # after_first, 3 inside the spectral blocks, after_spectral, after_entry, 3, after_spatial
    added = 2 * (10 * 24 + 128)
    assert n_parameters(network) == 363_432 + added == sum(p.numel() for p in network.parameters())


@pytest.mark.parametrize(("n_bands", "left"), [(200, 97), (103, 49), (176, 85), (144, 69), (7, 1)])
def test_the_first_convolution_leaves_the_published_band_positions(n_bands: int, left: int) -> None:
    assert n_band_positions(n_bands) == left
    convolved = nn.functional.conv1d(torch.zeros(1, 1, n_bands), torch.zeros(1, 1, 7), stride=2)
    assert convolved.shape[2] == left


def pair(variant: str, dtype: torch.dtype) -> tuple[Ssrn, PlainSsrn, Tensor]:
    """Both networks with the same unusual weights and statistics, and a batch."""
    generator = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    fast = Ssrn(n_bands=31, variant=variant, n_kernels=5, n_spectral_features=7)  # type: ignore[arg-type]
    with torch.no_grad():
        for name, value in (*fast.named_parameters(), *fast.named_buffers()):
            noise = torch.randn(value.shape, generator=generator)
            value.add_(noise.abs() if "var" in name else 0.1 * noise)
    fast.to(dtype)
    # Few pixels: with many, rounding moves one of their ReLUs across its kink.
    patches = torch.randn(3, 3, 3, 31, generator=generator, dtype=dtype)
    return fast, PlainSsrn(fast), patches


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-4), (torch.float64, 1e-9)])
def test_outputs_and_gradients_equal_those_of_three_dimensional_convolutions(
    variant: str, training: bool, dtype: torch.dtype, tolerance: float
) -> None:
    fast, plain, patches = pair(variant, dtype)
    fast.train(training)
    plain.train(training)
    ours, theirs = patches.clone().requires_grad_(), patches.clone().requires_grad_()
    direction = torch.randn(3, 5, 3, 3, generator=torch.Generator().manual_seed(1), dtype=dtype)
    results = fast(ours), plain(theirs)
    for result in results:
        (result * direction).sum().backward()
    require_close(results[0], results[1], tolerance)
    require_close(gradient(ours), gradient(theirs), tolerance)
    copied = dict(PlainSsrn(with_gradients_as_weights(fast)).named_parameters())
    for name, parameter in plain.named_parameters():
        scale = gradient(parameter).abs().max().clamp_min(1.0)
        require_close(copied[name] / scale, gradient(parameter) / scale, tolerance)


def with_gradients_as_weights(fast: Ssrn) -> Ssrn:
    """A copy that brings gradients into the plain layout, the way that weights get there."""
    carrier = copy.deepcopy(fast)
    with torch.no_grad():
        for weight, source in zip(carrier.parameters(), fast.parameters(), strict=True):
            weight.copy_(gradient(source))
    return carrier


def gradient(tensor: Tensor) -> Tensor:
    assert tensor.grad is not None
    return tensor.grad


def require_close(ours: Tensor, theirs: Tensor, tolerance: float) -> None:
    torch.testing.assert_close(ours, theirs, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("variant", VARIANTS)
def test_running_statistics_move_as_those_of_the_plain_network(variant: str) -> None:
    fast, plain, patches = pair(variant, torch.float64)
    fast.train()
    plain.train()
    fast(patches)
    plain(patches)
    moved = dict(plain.named_buffers())
    for name, expected in PlainSsrn(fast).named_buffers():
        if not name.endswith("num_batches_tracked"):
            torch.testing.assert_close(moved[name], expected)


def test_every_weight_of_the_plain_network_is_copied() -> None:
    fast, plain, _ = pair("released", torch.float32)
    assert sum(p.numel() for p in fast.parameters()) == sum(p.numel() for p in plain.parameters())
    with torch.no_grad():
        for parameter in plain.parameters():
            parameter.fill_(torch.nan)
    plain.copy_from(fast)
    assert all(torch.isfinite(parameter).all() for parameter in plain.parameters())


def test_too_few_bands_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="ssrn needs at least 7 bands, got 6"):
        Ssrn(n_bands=6)


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="must be 'article' or 'released', got 'articel'"):
        Ssrn(n_bands=30, variant="articel")  # type: ignore[arg-type]
