"""The networks that see one spectrum at a time."""

from __future__ import annotations

import pytest
import torch

from pdml.embeddings.backbones.cnn1d import Cnn1d, kernel_and_pool
from pdml.embeddings.backbones.recurrent import Recurrent
from pdml.errors import InvalidInputError


@pytest.mark.parametrize(("n_bands", "kernel", "pool"), [(220, 24, 5), (103, 11, 3), (224, 24, 5)])
def test_kernel_and_pool_are_those_of_the_article(n_bands: int, kernel: int, pool: int) -> None:
    assert kernel_and_pool(n_bands) == (kernel, pool)


def test_a_band_beyond_the_last_pool_is_the_only_one_that_does_not_count() -> None:
    network = Cnn1d(n_bands=220)  # 197 positions, 39 pools of 5: the last two do not count
    spectra = torch.randn(2, 220, requires_grad=True)
    (slope,) = torch.autograd.grad(network.spectra(spectra).sum(), spectra)
    counts = slope.abs().sum(0) > 0
    assert counts[:218].all()
    assert not counts[218:].any()


@pytest.mark.parametrize("bands_per_step", [1, 4])
def test_units_read_the_bands_in_their_order(bands_per_step: int) -> None:
    torch.manual_seed(0)
    network = Recurrent(n_bands=10, width=5, bands_per_step=bands_per_step).eval()
    spectra = torch.randn(3, 10)
    whole = torch.cat([spectra, torch.zeros(3, 2)], 1) if bands_per_step == 4 else spectra
    cell = torch.nn.GRUCell(bands_per_step, 5)
    weights = {name.removesuffix("_l0"): w for name, w in network.units.state_dict().items()}
    cell.load_state_dict(weights)
    state = torch.zeros(3, 5)
    for step in torch.split(whole, bands_per_step, dim=1):
        state = cell(step, state)
    torch.testing.assert_close(network.spectra(spectra), torch.relu(state) / (1 + 1e-5) ** 0.5)


def test_what_does_not_fit_the_bands_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="cnn1d needs at least 9 bands, got 8"):
        Cnn1d(n_bands=8)
    for steps in (0, 11):
        with pytest.raises(InvalidInputError, match=f"to the 10 bands of the scene, got {steps}"):
            Recurrent(n_bands=10, bands_per_step=steps)
