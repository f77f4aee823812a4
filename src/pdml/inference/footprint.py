"""What a model takes per pixel and per batch, found by sending two empty pixels through it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn

from pdml.embeddings.patch_model import PatchModel
from pdml.embeddings.predict import PATCHES_AT_ONCE, SPECTRA_AT_ONCE
from pdml.inference.plan import Footprint
from pdml.inference.surroundings import STEPS, STRETCHES

ALIVE_AT_ONCE = 6
"""Outputs of layers that exist at one time: input, output, residual, workspace of a convolution."""


@torch.no_grad()
def footprint_of(model: PatchModel, *, listens: bool = False) -> Footprint:
    """Measures a model on a batch of two pixels.

    Args:
        model: The model.
        listens: Whether its pixels listen to their surroundings.
    """
    spec = model.spec
    training = model.training
    model.eval()
    device = next(chain(model.parameters(), model.buffers())).device
    n_values = spec.n_components or spec.n_bands
    with _largest_output(model) as largest:
        features = model.spectra(torch.zeros(2, n_values, device=device))
        spectra_bytes = SPECTRA_AT_ONCE // 2 * max(largest)
        side, n_features = spec.patch_size, features[0].numel()
        largest[:] = [2 * side**2 * n_features * features.element_size()]
        embedding, _ = model.from_spectra(features.new_zeros(2, side, side, n_features))
        patches_bytes = PATCHES_AT_ONCE // 2 * max(largest)
    model.train(training)
    words = 2 if model.in_double else 1
    return Footprint(
        words * n_values,
        words * n_features,
        spec.n_classes,
        n_heard=_n_heard(embedding.mean.shape[3], spec.n_classes) if listens else 0,
        batch_bytes=ALIVE_AT_ONCE * max(spectra_bytes, patches_bytes),
    )


def _n_heard(n_features: int, n_classes: int) -> int:
    """What is kept of a pixel until it has listened: its mean, twice when parts are joined.

    And probabilities by itself, before and after a round, with what is added to them; the spectrum
    in few values, four weights and their sum.
    """
    return 2 * n_features + 6 * n_classes + STRETCHES + len(STEPS) + 1


@contextmanager
def _largest_output(model: nn.Module) -> Iterator[list[int]]:
    """Collects the bytes of what every layer returns."""
    found = [0]

    def note(_: nn.Module, __: Any, output: Any) -> None:
        if isinstance(output, Tensor):
            found.append(output.numel() * output.element_size())

    hooks = [module.register_forward_hook(note) for module in model.modules()]
    try:
        yield found
    finally:
        for hook in hooks:
            hook.remove()
