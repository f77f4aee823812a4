"""What a trained model says about pixels: the spectral stage once per pixel, then the patches.

A patch-wise evaluation runs the spectral stage s² times on every pixel, once for each patch that it
lies in. Here its features are computed once and gathered, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pdml.embeddings.model import Model
from pdml.patches.source import PatchSource

SPECTRA_AT_ONCE = 512
PATCHES_AT_ONCE = 256
MARKED_AT_ONCE = 2**14


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

    def first(self, n: int) -> Prediction:
        """What is said about the first of the pixels."""
        variance = self.variance if self.variance is None else self.variance[:n]
        return Prediction(self.probability[:n], self.mean[:n], variance)


def lower_precision(device: torch.device, precision: str) -> AbstractContextManager[object]:
    """The context in which a network runs: bfloat16 where it is exact enough, or as it is."""
    if precision == "bf16":
        return torch.autocast(device.type, torch.bfloat16)
    return nullcontext()


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
    parts: list[Prediction] = []
    predict_in_batches(model, source, indices, parts.append, precision=precision)
    return Prediction(
        torch.cat([part.probability for part in parts]),
        torch.cat([part.mean for part in parts]),
        None
        if parts[0].variance is None
        else torch.cat([part.variance for part in parts if part.variance is not None]),
    )


@torch.no_grad()
def predict_in_batches(
    model: Model,
    source: PatchSource,
    indices: Int[Tensor, " n"],
    take: Callable[[Prediction], None],
    *,
    precision: str = "32",
) -> None:
    """Classifies pixels of a scene and hands over what is said about some of them at a time.

    Every batch has the same shape, the last is filled up: matrix products sum in an order that
    depends on the shape, and so a pixel's result would depend on how many others there are.

    Args:
        model: The model; it is put into evaluation mode and back.
        source: The scene's patches, standardised as in training.
        indices: Flat indices of the pixels in the scene, at least one.
        take: Receives the predictions, in the order of the indices.
        precision: `"32"` or `"bf16"`; probabilities are float32 in both.
    """
    side = source.patch_size
    with _evaluating(model), lower_precision(source.table.device, precision):
        features, row_of = _spectral_features(model, source, indices)
        for some in torch.split(indices, PATCHES_AT_ONCE):
            neighbours = source.grid.neighbours(_filled(some, PATCHES_AT_ONCE))
            rows = row_of.index_select(0, neighbours.view(-1))
            patches = features.index_select(0, rows).view(PATCHES_AT_ONCE, side, side, -1)
            take(_centre(model, patches).first(len(some)))


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
    for some in torch.split(indices, MARKED_AT_ONCE):
        needed[source.grid.neighbours(some).view(-1)] = True
    row_of = needed.cumsum(0, dtype=torch.int32).sub_(1)
    used = needed.nonzero().squeeze(1)
    features = source.table  # the first part says how long and of which type they are
    for start in range(0, len(used), SPECTRA_AT_ONCE):
        some = used[start : start + SPECTRA_AT_ONCE]
        spectra = source.table.index_select(0, _filled(some, SPECTRA_AT_ONCE))
        part = model.backbone.spectra(spectra)
        if start == 0:
            features = part.new_empty(len(used), part.shape[1])
        features[start : start + len(some)] = part[: len(some)]
    return features, row_of


def _filled(indices: Int[Tensor, " n"], n: int) -> Int[Tensor, " filled"]:
    """Indices, and the first of them again until there are enough."""
    return torch.cat([indices, indices[:1].expand(n - len(indices))])


def _centre(model: Model, features: Float[Tensor, "n row col channel"]) -> Prediction:
    embedding, logits = model.from_spectra(features)
    middle = features.shape[1] // 2
    variance = None
    if embedding.log_variance is not None:
        variance = embedding.log_variance[:, middle, middle].float().exp().mean(dim=1)
    return Prediction(
        logits.float().softmax(dim=1), embedding.mean[:, middle, middle].float(), variance
    )
