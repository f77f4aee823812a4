"""HamidaNet and LiNet against their published sizes and against plain restatements."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import conv3d, relu

from pdml.embeddings.backbones.hamida import Hamida
from pdml.embeddings.backbones.li import Li
from pdml.embeddings.model import Model, ModelSpec, n_parameters
from pdml.errors import InvalidInputError, UnknownNameError

SCENES = (200, 103, 176, 144)
"""Bands of Indian Pines, Pavia University, KSC and Houston 2013."""


@pytest.mark.parametrize(
    ("n_bands", "n_inputs"), list(zip(SCENES, (910, 490, 805, 665), strict=True))
)
def test_the_last_layer_of_hamida_has_the_published_inputs(n_bands: int, n_inputs: int) -> None:
    backbone = Hamida(n_bands=n_bands, padding="collapsed")
    features = backbone(torch.zeros(1, 5, 5, n_bands))
    assert features.flatten(1).shape == (1, n_inputs)
    assert backbone.n_features == n_inputs


@pytest.mark.parametrize(
    ("n_bands", "n_inputs"), list(zip(SCENES, (6272, 3168, 5504, 4480), strict=True))
)
def test_the_last_layer_of_li_has_the_published_inputs(n_bands: int, n_inputs: int) -> None:
    backbone = Li(n_bands=n_bands, padding="collapsed")
    features = backbone(torch.zeros(1, 5, 5, n_bands))
    assert features.flatten(1).shape == (1, n_inputs)
    assert backbone.n_features == n_inputs


def plain(backbone: str, n_classes: int) -> Model:
    options = {"padding": "collapsed"}
    return Model(
        ModelSpec(200, n_classes, backbone=backbone, backbone_options=options, head="point",
                  classifier="pooled", dropout=0.0)
    )  # fmt: skip


def test_the_plain_networks_have_the_weights_that_their_layers_add_up_to() -> None:
    kernels = [(1, 20, 27), (20, 20, 3), (20, 35, 27), (35, 35, 3), (35, 35, 3), (35, 35, 2)]
    expected = sum(n_in * n_out * taps + n_out for n_in, n_out, taps in kernels)
    assert n_parameters(plain("hamida", 16)) == expected + 910 * 16 + 16
    assert n_parameters(plain("li", 16)) == (63 * 16 + 16) + (16 * 32 * 27 + 32) + (6272 * 16 + 16)


def band_first(convolution: nn.Conv3d) -> Tensor:
    """Weights as (out, in, band, row, col)."""
    return convolution.weight.permute(0, 1, 4, 2, 3)


def hamida_restated(net: Hamida, cubes: Tensor) -> Tensor:
    """The published network on (n, 1, band, row, col), as its authors order the axes."""
    x = relu(conv3d(cubes, band_first(net.first), net.first.bias))
    x = conv3d(x, band_first(net.first_pool), net.first_pool.bias, (2, 1, 1), (1, 0, 0))
    x = relu(conv3d(x, band_first(net.second), net.second.bias, 1, (1, 0, 0)))
    x = conv3d(x, band_first(net.second_pool), net.second_pool.bias, (2, 1, 1), (1, 0, 0))
    x = relu(conv3d(x, band_first(net.third), net.third.bias, 1, (1, 0, 0)))
    x = relu(conv3d(x, band_first(net.fourth), net.fourth.bias, (2, 1, 1), (1, 0, 0)))
    return x.flatten(1)


def li_restated(net: Li, cubes: Tensor) -> Tensor:
    x = relu(conv3d(cubes, band_first(net.first), net.first.bias, 1, (1, 0, 0)))
    x = relu(conv3d(x, band_first(net.second), net.second.bias, 1, (1, 0, 0)))
    return x.flatten(1)


@pytest.mark.parametrize("kind", [Hamida, Li])
def test_collapsed_it_is_the_published_network_and_padded_the_same_at_the_centre(
    kind: type[Hamida] | type[Li],
) -> None:
    torch.manual_seed(0)
    collapsed, padded = kind(n_bands=31, padding="collapsed"), kind(n_bands=31)
    padded.load_state_dict(collapsed.state_dict())
    patches = torch.randn(4, 5, 5, 31)
    cubes = patches.permute(0, 3, 1, 2).unsqueeze(1)
    if isinstance(collapsed, Hamida):
        expected = hamida_restated(collapsed, cubes)
    else:
        expected = li_restated(collapsed, cubes)
    torch.testing.assert_close(collapsed(patches).flatten(1), expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(padded(patches)[:, :, 2, 2], expected, rtol=1e-4, atol=1e-4)


def test_what_is_left_of_a_patch_is_as_stated() -> None:
    for size, left in {3: 1, 5: 1, 7: 3}.items():
        backbone = Hamida(n_bands=20, padding="collapsed")
        assert backbone(torch.zeros(1, size, size, 20)).shape[2:] == (left, left)
        assert backbone.output_size(size) == left
    assert [Li(n_bands=20, padding="collapsed").output_size(size) for size in (3, 5, 9)] == [
        -1,
        1,
        5,
    ]


def test_a_patch_that_is_worn_away_is_refused() -> None:
    options = {"padding": "collapsed"}
    with pytest.raises(InvalidInputError, match="of patch_size = 3 it leaves none; take a larger"):
        Model(ModelSpec(20, 3, patch_size=3, backbone="li", backbone_options=options))


@pytest.mark.parametrize(("kind", "fewest"), [(Hamida, 3), (Li, 5)])
def test_too_few_bands_and_unknown_paddings_are_refused(
    kind: type[Hamida] | type[Li], fewest: int
) -> None:
    assert torch.isfinite(kind(n_bands=fewest)(torch.zeros(1, 3, 3, fewest))).all()
    with pytest.raises(InvalidInputError, match=f"needs at least {fewest} bands, got {fewest - 1}"):
        kind(n_bands=fewest - 1)
    with pytest.raises(UnknownNameError, match="unknown padding 'some'; did you mean 'same'"):
        kind(n_bands=20, padding="some")  # type: ignore[arg-type]
