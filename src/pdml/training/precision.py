"""Which number format a network runs in: asked for, or measured with that network on this device.

Products of large matrices say little about it: small networks spend much of their time elsewhere,
and a processor may be quick at such products and have no quick convolution in bfloat16.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import torch
from torch import Tensor

from pdml.embeddings.model import Model, ModelSpec
from pdml.embeddings.patch_model import PatchSpec
from pdml.embeddings.predict import PATCHES_AT_ONCE, lower_precision

WORTH_IT = 1.1
"""bfloat16 is taken when the network is faster in it by this factor, which is more than noise."""

ROUNDS = 5
LONG_ENOUGH = 0.5
"""Seconds after which no further round is measured."""


_measured: dict[tuple[str, str, int], str] = {}


def resolve_precision(
    precision: str, device: torch.device, spec: PatchSpec, *, batch_size: int = 0
) -> str:
    """`"32"` or `"bf16"`; `"auto"` becomes whichever is faster on the device.

    Args:
        precision: What is asked for.
        device: Where the network runs.
        spec: The network; whatever is none stays as it is.
        batch_size: Patches in a step of training; 0 if the network maps.
    """
    if precision != "auto":
        return precision
    if not isinstance(spec, ModelSpec):
        return "32"
    # The same question has the same answer as long as the process lives.
    key = str(device), repr(spec), batch_size
    if key not in _measured:
        _measured[key] = _faster(device, spec, batch_size)
    return _measured[key]


def _faster(device: torch.device, spec: ModelSpec, batch_size: int) -> str:
    if device.type == "mps":
        return "32"
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(0)
        model = Model(spec).to(device).train(batch_size > 0)
        work = _step(model, batch_size) if batch_size else _mapping(model)
        single, brief = _seconds(work, device)
    return "bf16" if single > WORTH_IT * brief else "32"


def _step(model: Model, batch_size: int) -> Callable[[], Tensor]:
    """Forward and backward; the loss and the optimiser are the same in both formats."""
    patches = _noise(model, batch_size, model.spec.patch_size, model.spec.patch_size)

    def work() -> Tensor:
        embedding, logits = model(patches)
        total = embedding.mean.float().sum() + logits.float().sum()
        if embedding.log_variance is not None:
            total = total + embedding.log_variance.float().sum()
        model.zero_grad()
        total.backward()
        loss: Tensor = total.detach()
        return loss

    return work


def _mapping(model: Model) -> Callable[[], Tensor]:
    """The first stage on some pixels and the second one on as many patches, as a map has them."""
    pixels, side = _noise(model, PATCHES_AT_ONCE), model.spec.patch_size

    @torch.no_grad()
    def work() -> Tensor:
        features = model.backbone.spectra(pixels)[:, None, None]
        _, logits = model.from_spectra(features.expand(-1, side, side, -1).contiguous())
        return logits.sum()

    return work


def _noise(model: Model, *shape: int) -> Tensor:
    n_values = model.spec.n_components or model.spec.n_bands
    return torch.randn(*shape, n_values, device=next(model.parameters()).device)


def _seconds(work: Callable[[], Tensor], device: torch.device) -> tuple[float, float]:
    """The shortest time in 32 bits and in bfloat16, measured in turn after a first unmeasured time.

    Whatever else the machine does makes times longer; the shortest is that of the network.
    """
    seconds: dict[str, list[float]] = {"32": [], "bf16": []}
    began = time.perf_counter()
    for number in range(1 + ROUNDS):
        for precision, of in seconds.items():
            start = time.perf_counter()
            with lower_precision(device, precision):
                work().item()  # reading a value waits for the device
            of.append(time.perf_counter() - start)
        if number > 0 and time.perf_counter() - began > LONG_ENOUGH:
            break
    return min(seconds["32"][1:]), min(seconds["bf16"][1:])
