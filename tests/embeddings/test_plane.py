"""Padded and unpadded forms of convolutions in the plane, and of the networks made of them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from pdml.embeddings.backbones.cnn2d import Cnn2d
from pdml.embeddings.backbones.cnn3d import Cnn3d, band_kernel, n_band_positions
from pdml.embeddings.model import Model, ModelSpec, n_parameters
from pdml.embeddings.plane import HALVED, PlaneConvolution, pooled, side_left


@pytest.mark.parametrize("side", [1, 3, 4, 5])
def test_a_padded_convolution_keeps_the_patch_and_equals_the_other_inside(side: int) -> None:
    torch.manual_seed(0)
    padded = PlaneConvolution(2, 3, side, padding="same")
    worn = PlaneConvolution(2, 3, side, padding="collapsed")
    worn.load_state_dict(padded.state_dict())
    x = torch.randn(2, 2, 9, 9)
    first, last = (side - 1) // 2, 9 - side // 2
    assert padded(x).shape == (2, 3, 9, 9)
    torch.testing.assert_close(padded(x)[:, :, first:last, first:last], worn(x))


def test_pooling_halves_or_keeps_the_patch() -> None:
    x = torch.arange(25.0).view(1, 1, 5, 5)
    assert pooled(x, padding="collapsed").tolist() == [[[[6, 8], [16, 18]]]]
    assert pooled(x, padding="same")[0, 0, 0].tolist() == [6, 7, 8, 9, 9]


def test_what_is_left_of_a_patch() -> None:
    chen = (4, HALVED, 4, HALVED, 4)
    assert [side_left(size, chen, padding="collapsed") for size in (27, 29, 23, 3)] == [1, 2, 0, 0]
    assert side_left(27, chen, padding="same") == 27


@pytest.mark.parametrize("n_components", [30, 10])
def test_cnn2d_has_the_published_layers(n_components: int) -> None:
    spec = ModelSpec(
        200, 16, n_components=n_components, backbone="cnn2d",
        backbone_options={"padding": "collapsed"}, head="point", classifier="pooled", dropout=0.0,
    )  # fmt: skip
    n = n_components
    convolutions = (9 * n * 3 * n + 3 * n) + (9 * 3 * n * 9 * n + 9 * n)
    hidden = 9 * n * 6 * n + 6 * n
    assert n_parameters(Model(spec)) == convolutions + hidden + 6 * n * 16 + 16


def test_cnn2d_is_the_same_at_the_centre_of_a_padded_patch() -> None:
    torch.manual_seed(0)
    worn, padded = Cnn2d(n_bands=10, padding="collapsed"), Cnn2d(n_bands=10)
    padded.load_state_dict(worn.state_dict())
    patches = torch.randn(4, 5, 5, 10)
    assert worn(patches).shape == (4, 60, 1, 1)
    torch.testing.assert_close(padded(patches)[:, :, 2, 2], worn(patches)[:, :, 0, 0])


@pytest.mark.parametrize(("n_bands", "left"), [(103, 10), (200, 107), (176, 83), (144, 51)])
def test_chen27_leaves_the_published_band_positions(n_bands: int, left: int) -> None:
    assert band_kernel(n_bands) == 32
    assert n_band_positions(n_bands) == left
    network = Cnn3d(n_bands=n_bands, variant="chen27")
    assert network.n_features == 32 * left
    counted = (4 * 4 * 32 * 32 + 32) + 2 * (4 * 4 * 32 * 32 * 32 + 32)
    assert n_parameters(network) == counted


def test_chen27_is_the_published_network_on_bands_in_front() -> None:
    torch.manual_seed(0)
    network: Any = Cnn3d(n_bands=10, variant="chen27").eval()
    assert (network.output_size(27), network.output_size(23)) == (1, 0)
    patches = torch.randn(2, 27, 27, 10)
    x = patches.permute(0, 3, 1, 2).unsqueeze(1)
    for number, convolution in enumerate(network.volumes):
        kernel = convolution.weight.permute(0, 1, 4, 2, 3)
        x = nn.functional.conv3d(x, kernel, convolution.bias).relu()
        x = nn.functional.max_pool3d(x, (1, 2, 2)) if number < 2 else x
    torch.testing.assert_close(network(patches).flatten(1), x.flatten(1), rtol=1e-4, atol=1e-4)


def test_fewer_bands_than_three_kernels_shorten_them() -> None:
    for n_bands in (4, 30, 93):
        assert 1 <= band_kernel(n_bands) <= 32
        assert n_band_positions(n_bands) >= 1
