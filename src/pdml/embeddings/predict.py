"""What a trained model says about pixels: the spectral stage once per pixel, then the patches.

A patch-wise evaluation runs the spectral stage s² times on every pixel, once for each patch that it
lies in. Here its features are computed once and gathered, with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pdml.embeddings.model import Model
from pdml.patches.source import PatchSource

SPECTRA_AT_ONCE = 512
PATCHES_AT_ONCE = 256


@dataclass(frozen=True)
class Prediction:
    """What is said about each of n pixels.

    Attributes:
        probability: Probability of each class.
        mean: Mean of the pixel's embedding.
        variance: Variance of the embedding averaged over its coordinates; None without one.
    """

    probability: Float[Tensor, "n class_"]
    mean: Float[Tensor, "n feature"]
    variance: Float[Tensor, " n"] | None

    @property
    def classes(self) -> Int[Tensor, " n"]:
        """The most probable class."""
        return self.probability.argmax(dim=1)


def lower_precision(device: torch.device, precision: str) -> AbstractContextManager[object]:
    """The context in which a network runs: bfloat16 where it is exact enough, or as it is."""
    if precision == "bf16":
        return torch.autocast(device.type, torch.bfloat16)
    return nullcontext()


@torch.no_grad()
def predict_pixels(
    model: Model, source: PatchSource, indices: Int[Tensor, " n"], *, precision: str = "32"
) -> Prediction:
    """Classifies pixels of a scene.

    Args:
        model: The model; it is put into evaluation mode and back.
        source: The scene's patches, standardised as in training.
        indices: Flat indices of the pixels in the scene, at least one.
        precision: `"32"` or `"bf16"`; probabilities are float32 in both.
    """
    with _evaluating(model), lower_precision(source.table.device, precision):
        features, row_of = _spectral_features(model, source, indices)
        parts = []
        for some in torch.split(indices, PATCHES_AT_ONCE):
            rows = row_of[source.grid.neighbours(some)]
            side = source.patch_size
            patches = features[rows.view(-1)].view(len(some), side, side, -1)
            parts.append(_centre(model, patches))
    return Prediction(
        torch.cat([part.probability for part in parts]),
        torch.cat([part.mean for part in parts]),
        None
        if parts[0].variance is None
        else torch.cat([part.variance for part in parts if part.variance is not None]),
    )


@contextmanager
def _evaluating(model: Model) -> Iterator[None]:
    training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(training)


def _spectral_features(
    model: Model, source: PatchSource, indices: Int[Tensor, " n"]
) -> tuple[Float[Tensor, "used feature"], Int[Tensor, " padded"]]:
    """Features of the pixels that the patches need, and where each padded pixel's features are."""
    needed = torch.zeros(len(source.table), dtype=torch.bool, device=source.table.device)
    needed[source.grid.neighbours(indices).view(-1)] = True
    row_of = needed.cumsum(0) - 1
    used = needed.nonzero().squeeze(1)
    parts = [
        model.backbone.spectra(source.table.index_select(0, some))
        for some in torch.split(used, SPECTRA_AT_ONCE)
    ]
    return torch.cat(parts), row_of


def _centre(model: Model, features: Float[Tensor, "n row col channel"]) -> Prediction:
    embedding, logits = model.from_spectra(features)
    middle = embedding.mean.shape[1] // 2  # of the map, which may be smaller than the patch
    variance = None
    if embedding.log_variance is not None:
        variance = embedding.log_variance[:, middle, middle].float().exp().mean(dim=1)
    return Prediction(
        logits.float().softmax(dim=1), embedding.mean[:, middle, middle].float(), variance
    )
