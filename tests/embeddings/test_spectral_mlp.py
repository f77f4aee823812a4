"""The network for single spectra, against the same sums written out."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import gelu, layer_norm, linear

from pdml.embeddings.backbones.spectral_mlp import SpectralMlp
from pdml.errors import InvalidInputError


def test_it_is_a_layer_and_residual_layers_of_normalised_features() -> None:
    torch.manual_seed(0)
    network = SpectralMlp(n_bands=3, width=4, n_layers=2)
    pixels = torch.randn(6, 3)
    values = dict(network.state_dict())
    x = gelu(linear(pixels, values["layers.0.weight"], values["layers.0.bias"]))
    for n in (2, 3):
        name = f"layers.{n}.layers"
        normal = layer_norm(x, (4,), values[f"{name}.0.weight"], values[f"{name}.0.bias"])
        x = x + gelu(linear(normal, values[f"{name}.1.weight"], values[f"{name}.1.bias"]))
    torch.testing.assert_close(network.spectra(pixels), x)


def test_neighbours_do_not_count() -> None:
    network = SpectralMlp(n_bands=3, width=4)
    patches = torch.randn(2, 3, 3, 3)
    changed = patches.clone()
    changed[:, 0, 0] = 9.0
    torch.testing.assert_close(
        network(patches)[:, :, 1, 1], network(changed)[:, :, 1, 1], rtol=0, atol=0
    )


def test_a_single_spectrum_of_a_single_band_can_be_trained_on() -> None:
    network = SpectralMlp(n_bands=1, width=4, n_layers=0).train()
    network(torch.ones(1, 1, 1, 1)).sum().backward()
    assert all(one.grad is not None for one in network.parameters())


@pytest.mark.parametrize("options", [{"width": 0}, {"n_layers": -1}])
def test_sizes_that_make_no_network_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(InvalidInputError, match="needs a width of at least 1 and 0 or more layers"):
        SpectralMlp(n_bands=3, **options)
