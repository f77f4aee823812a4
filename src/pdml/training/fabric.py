"""The device and the number format that a run uses."""

from __future__ import annotations

import torch
from lightning_fabric import Fabric
from lightning_fabric.plugins import MixedPrecision

from pdml.errors import InvalidInputError, unknown_name

DEVICES = ("auto", "cpu", "cuda", "mps")


def make_fabric(device: str, precision: str) -> Fabric:
    """Fabric for one device.

    Args:
        device: `"auto"`, `"cpu"`, `"cuda"` or `"mps"`.
        precision: `"32"` or `"bf16"`.

    Raises:
        UnknownNameError: If the device has no such name.
        InvalidInputError: If this machine does not have it.
    """
    if device not in DEVICES:
        raise unknown_name("device", device, DEVICES)
    available = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
    }
    if not available.get(device, True):
        raise InvalidInputError(
            f"--device {device} needs such a device, this machine has none that PyTorch can use; "
            "try --device cpu"
        )
    if device == "auto":
        device = next((name for name, here in available.items() if here), "cpu")
    if precision != "bf16":
        return Fabric(accelerator=device, devices=1)
    # Asked for by name, Fabric would announce it in the middle of our own lines.
    return Fabric(
        accelerator=device, devices=1, plugins=MixedPrecision("bf16-mixed", device=device)
    )
