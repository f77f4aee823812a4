"""Which device and which number format a run gets."""

from __future__ import annotations

import pytest
import torch

from pdml.errors import InvalidInputError, UnknownNameError
from pdml.training.fabric import make_fabric
from pdml.training.precision import resolve_precision

CPU = torch.device("cpu")


@pytest.mark.parametrize("asked", ["32", "bf16"])
def test_a_precision_that_is_asked_for_is_taken(asked: str) -> None:
    assert resolve_precision(asked, CPU) == asked


def test_automatic_precision_is_measured_once() -> None:
    measured = resolve_precision("auto", CPU)
    assert measured in ("32", "bf16")
    assert resolve_precision("auto", CPU) == measured


def test_apple_devices_run_in_32_bits() -> None:
    assert resolve_precision("auto", torch.device("mps")) == "32"


@pytest.mark.parametrize(("precision", "name"), [("32", "32-true"), ("bf16", "bf16-mixed")])
def test_fabric_gets_the_device_and_the_format_without_a_word(
    precision: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        fabric = make_fabric("cpu", precision)
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
