"""SPC, SPA and the padding of SSRN: parts of one network, with the sizes that they then have."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.nn.functional import conv2d

from pdml.embeddings.backbones.cnn3d import Cnn3d
from pdml.embeddings.backbones.spa import Spa
from pdml.embeddings.backbones.spc import Spc
from pdml.embeddings.backbones.ssrn import Ssrn
from pdml.embeddings.model import Model, ModelSpec, n_parameters
from pdml.errors import InvalidInputError, UnknownNameError


def plain(backbone: str, n_bands: int, **options: object) -> Model:
    spec = ModelSpec(n_bands, 16, patch_size=7, backbone=backbone, backbone_options=dict(options),
                     head="point", classifier="pooled")  # fmt: skip
    return Model(spec)


def weights(n_in: int, n_out: int, taps: int) -> int:
    return n_in * n_out * taps + n_out


def test_spc_is_the_first_stage_of_ssrn() -> None:
    whole, part = Ssrn(n_bands=40).eval(), Spc(n_bands=40).eval()
    own = part.state_dict()
    part.load_state_dict({name: whole.state_dict()[name] for name in own})
    pixels = torch.randn(9, 40)
    torch.testing.assert_close(part.spectra(pixels), whole.spectra(pixels))
    assert part.n_features == 128


def test_spa_is_the_second_stage_of_ssrn_on_bands() -> None:
    whole, part = Ssrn(n_bands=40, n_spectral_features=30).eval(), Spa(n_bands=30).eval()
    own = part.state_dict()
    part.load_state_dict({name: whole.state_dict()[name] for name in own})
    features = torch.randn(3, 30, 7, 7)
    torch.testing.assert_close(part.patches(features), whole.patches(features))


def test_the_parts_have_the_weights_that_their_layers_add_up_to() -> None:
    # 97 positions of 200 bands
    spectral = weights(1, 24, 7) + 4 * weights(24, 24, 7) + weights(24, 128, 97)
    assert n_parameters(plain("spc", 200), norms=False) == spectral + 128 * 16 + 16
    spatial = weights(200, 24, 9) + 4 * weights(24, 24, 9)
    for name in ("spa", "cnn3d"):
        assert n_parameters(plain(name, 200), norms=False) == spatial + 24 * 16 + 16


def test_cnnl_is_spa_without_the_shortcuts() -> None:
    with_shortcuts = Spa(n_bands=30).eval()
    without: Any = Cnn3d(n_bands=30).eval()
    without.load_state_dict(with_shortcuts.state_dict())
    patches = torch.randn(2, 7, 7, 30)
    x = without.after_entry(without.entry(patches))
    for block in without.spatial_blocks:
        x = block.second(block.between(block.first(block.before(x))))
    expected = without.after_spatial(x).permute(0, 3, 1, 2)
    torch.testing.assert_close(without(patches), expected)
    assert not torch.allclose(without(patches), with_shortcuts(patches))


@pytest.mark.parametrize("kind", [Ssrn, Spa, Cnn3d])
def test_collapsed_the_first_convolution_in_the_plane_is_not_padded(
    kind: type[Ssrn] | type[Spa] | type[Cnn3d],
) -> None:
    torch.manual_seed(0)
    network = kind(n_bands=30, padding="collapsed").eval()
    patches = torch.randn(3, 7, 7, 30)
    features = network.spectra(patches.reshape(-1, 30)).view(3, 7, 7, -1).permute(0, 3, 1, 2)
    worn = conv2d(features, network.entry.weight, network.entry.bias).permute(0, 2, 3, 1)
    rest = network.after_spatial(network.spatial_blocks(network.after_entry(worn)))
    assert rest.shape[1:3] == (5, 5)
    torch.testing.assert_close(network(patches), rest.permute(0, 3, 1, 2), rtol=1e-4, atol=1e-5)
    assert [network.output_size(size) for size in (7, 5, 3)] == [5, 3, 1]


def test_too_few_bands_and_unknown_choices_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="spc needs at least 7 bands, got 6"):
        Spc(n_bands=6)
    with pytest.raises(UnknownNameError, match="unknown padding 'valid'"):
        Ssrn(n_bands=30, padding="valid")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown variant of cnn3d 'chen9'"):
        Cnn3d(n_bands=30, variant="chen9")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="cnn3d needs at least 4 bands, got 3"):
        Cnn3d(n_bands=3, variant="chen27")
