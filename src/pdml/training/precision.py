"""Which number format the network runs in: asked for, or measured once on this processor."""

from __future__ import annotations

import time
from functools import cache
from statistics import median

import torch

WORTH_IT = 1.5
"""bfloat16 is taken when its matrix products are faster by this factor."""


def resolve_precision(precision: str, device: torch.device) -> str:
    """`"32"` or `"bf16"`; `"auto"` becomes whichever is faster on the device."""
    return _faster(device.type) if precision == "auto" else precision


@cache
def _faster(device_type: str) -> str:
    if device_type == "mps":
        return "32"
    device = torch.device(device_type)
    single = _seconds_per_product(device, torch.float32)
    brief = _seconds_per_product(device, torch.bfloat16)
    return "bf16" if single > WORTH_IT * brief else "32"


def _seconds_per_product(device: torch.device, dtype: torch.dtype) -> float:
    matrix = torch.ones(1024, 1024, device=device, dtype=dtype)
    seconds = []
    for _ in range(6):
        start = time.perf_counter()
        (matrix @ matrix)[0, 0].item()  # reading a value waits for the device
        seconds.append(time.perf_counter() - start)
    return median(seconds[1:])
