"""Which device and which number format a run gets."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.embeddings.model import ModelSpec
from pdml.errors import InvalidInputError, UnknownNameError
from pdml.training import precision
from pdml.training.fabric import make_fabric
from pdml.training.precision import resolve_precision
from tests.contracts.test_attention import SMALLEST
from tests.contracts.test_backbones import patch_size

CPU = torch.device("cpu")
SPEC = ModelSpec(n_bands=16, n_classes=3, patch_size=3, backbone="spectral_mlp")


@pytest.mark.parametrize("asked", ["32", "bf16"])
def test_a_precision_that_is_asked_for_is_taken(asked: str) -> None:
    assert resolve_precision(asked, CPU, SPEC) == asked


@pytest.mark.parametrize("batch_size", [0, 4])
def test_automatic_precision_is_measured_once(
    batch_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = resolve_precision("auto", CPU, SPEC, batch_size=batch_size)
    assert measured in ("32", "bf16")
    monkeypatch.setattr(precision, "_faster", lambda *_: "not measured again")
    assert resolve_precision("auto", CPU, SPEC, batch_size=batch_size) == measured


@pytest.mark.parametrize(
    ("single", "brief", "chosen"), [(1.0, 0.5, "bf16"), (1.0, 0.99, "32"), (1.0, 2.0, "32")]
)
@pytest.mark.parametrize("batch_size", [0, 4])
def test_automatic_precision_is_that_in_which_the_network_is_clearly_faster(
    single: float, brief: float, chosen: str, batch_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Clock:
        """Time passes in steps of the network only, by what a step in each format takes."""

        now = 0.0

        def perf_counter(self) -> float:
            return self.now

    clock = Clock()

    def spectra(self: Backbone, pixels: Tensor) -> Tensor:
        clock.now += brief if torch.is_autocast_enabled("cpu") else single
        return honest(self, pixels)

    kind = BACKBONES.get(SPEC.backbone)
    honest = kind.spectra
    monkeypatch.setattr(kind, "spectra", spectra)
    monkeypatch.setattr(precision, "time", clock)
    monkeypatch.setattr(precision, "_measured", {})
    assert resolve_precision("auto", CPU, SPEC, batch_size=batch_size) == chosen


def test_measuring_leaves_random_numbers_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "_measured", {})
    before = torch.get_rng_state()
    resolve_precision("auto", CPU, SPEC, batch_size=4)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("name", BACKBONES.names())
def test_every_network_can_be_measured(name: str) -> None:
    size = patch_size(name, SMALLEST)
    spec = ModelSpec(40, 3, patch_size=size, backbone=name, head="point", classifier="pooled")
    for batch_size in (0, 4):
        assert resolve_precision("auto", CPU, spec, batch_size=batch_size) in ("32", "bf16")


def test_apple_devices_run_in_32_bits() -> None:
    assert resolve_precision("auto", torch.device("mps"), SPEC) == "32"


@pytest.mark.parametrize(("asked", "name"), [("32", "32-true"), ("bf16", "bf16-mixed")])
def test_fabric_gets_the_device_and_the_format_without_a_word(
    asked: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        fabric = make_fabric("cpu", asked)
    assert fabric.device == CPU
    assert fabric._precision.precision == name
    assert not caplog.messages


def test_automatic_device_is_the_processor_where_there_is_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert make_fabric("auto", "32").device == CPU


@pytest.mark.parametrize("device", ["cuda", "mps"])
def test_a_device_that_is_not_there_is_refused(
    device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(InvalidInputError, match=f"--device {device} needs .* try --device cpu"):
        make_fabric(device, "32")


def test_an_unknown_device_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown device 'cudaa'; did you mean 'cuda'"):
        make_fabric("cudaa", "32")
