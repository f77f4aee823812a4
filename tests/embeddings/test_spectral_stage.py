"""The compiled spectral stage in bfloat16 against the layers that it stands for."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdml.embeddings import residual_spectra
from pdml.embeddings.backbones.ssrn import Ssrn
from pdml.native import spectral

N_BANDS, N_PIXELS = 60, 75
Results = dict[str, Tensor]


@pytest.fixture(params=[form for form, of in spectral.FORMS.items() if of == torch.bfloat16])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A form that runs here, chosen whatever is faster."""
    name: str = request.param
    if not spectral.runs(name, 24):
        pytest.skip("these passes are not for this processor")
    monkeypatch.setattr(spectral, "fastest", lambda *_: name)
    return name


def results(dtype: torch.dtype, *, threads: int = 1) -> Results:
    """Features, gradients of all weights and running statistics after one step.

    bfloat16 is that of autocast.
    """
    torch.manual_seed(0)
    network = Ssrn(n_bands=N_BANDS)
    brief = dtype == torch.bfloat16
    network.to(torch.float32 if brief else dtype)
    pixels = torch.randn(N_PIXELS, N_BANDS, generator=torch.Generator().manual_seed(1))
    direction = torch.randn(N_PIXELS, 128, generator=torch.Generator().manual_seed(2))
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    with torch.autocast("cpu", torch.bfloat16, enabled=brief):
        features = network.spectra(pixels if brief else pixels.to(dtype))
    torch.autograd.backward((features.to(direction.dtype) * direction).sum())
    torch.set_num_threads(before)
    found = {"features": features.detach()}
    found |= {k: p.grad for k, p in network.named_parameters() if p.grad is not None}
    return found | dict(network.named_buffers())


def distance(one: Tensor, exact: Tensor) -> float:
    """As a share of the exact values."""
    return float((one.double() - exact).norm() / (exact.norm() + 1e-12))


@pytest.mark.usefixtures("form")
def test_bfloat16_is_as_close_to_the_exact_values_as_the_layers_under_autocast() -> None:
    compiled = results(torch.bfloat16)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(residual_spectra, "run_spectral_stage", lambda *_: None)
        layers, exact = results(torch.bfloat16), results(torch.float64)
    assert compiled.keys() == layers.keys() == exact.keys()
    for name, values in exact.items():
        if float(values.norm()) < 1e-9:
            continue  # normalisation takes a shift away: the exact gradient is zero
        allowed = 1.5 * distance(layers[name], values) + 1e-3
        assert distance(compiled[name], values) < allowed, name


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.usefixtures("form")
def test_results_repeat_to_the_last_bit(threads: int) -> None:
    first, again = (results(torch.bfloat16, threads=threads) for _ in range(2))
    for name, values in first.items():
        assert torch.equal(values, again[name]), name


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_without_the_compiled_passes_the_layers_do_it(
    dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = results(dtype)
    monkeypatch.setattr(spectral, "load", lambda _: None)
    spectral._library.cache_clear()
    try:
        assert not any(spectral.runs(form, 24) for form in spectral.FORMS)
        layers = results(dtype)
    finally:
        spectral._library.cache_clear()
    allowed = 1e-5 if dtype == torch.float32 else 3e-2
    assert distance(usual["features"], layers["features"].double()) < allowed
