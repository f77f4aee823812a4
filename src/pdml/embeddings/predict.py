"""What a trained model says about pixels: the spectral stage once per pixel, then the patches.

A patch-wise evaluation runs the spectral stage s² times on every pixel, once for each patch that it
lies in. Here its features are computed once and gathered, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pdml.embeddings.batches import Batch, by_place, in_order
from pdml.embeddings.patch_model import PatchModel
from pdml.embeddings.prediction import Prediction, averaged, joined
from pdml.patches.augment import dihedral_variants
from pdml.patches.source import PatchSource

SPECTRA_AT_ONCE = 512
PATCHES_AT_ONCE = 256
MARKED_AT_ONCE = 2**14


Judge = Callable[[Prediction], Prediction]
"""What looks at the predictions of a batch and returns them with calibrated probabilities and
scores; it treats every pixel by itself."""


def lower_precision(device: torch.device, precision: str) -> AbstractContextManager[object]:
    """The context in which a network runs: bfloat16 where it is exact enough, or as it is."""
    if precision == "bf16":
        return torch.autocast(device.type, torch.bfloat16)
    return nullcontext()


def predict_pixels(
    model: PatchModel,
    source: PatchSource,
    indices: Int[Tensor, " n"],
    *,
    precision: str = "32",
    judge: Judge | None = None,
    with_spectra: bool = False,
) -> Prediction:
    """Classifies pixels of a scene.

    Args:
        model: The model; it is put into evaluation mode and back.
        source: The scene's patches, standardised as in training.
        indices: Flat indices of the pixels in the scene, at least one.
        precision: `"32"` or `"bf16"`; probabilities are float32 in both.
        judge: Calibrates and scores what the network says; None leaves it as it is.
        with_spectra: Also give the mean spectrum of each patch.
    """
    parts: list[Prediction] = []
    predict_in_batches(
        model,
        source,
        indices,
        lambda _, part: parts.append(part),
        precision=precision,
        judge=judge,
        with_spectra=with_spectra,
    )
    return joined(parts)


@torch.no_grad()
def predict_patches(
    model: PatchModel, patches: Float[Tensor, "n row col band"], *, judge: Judge | None = None
) -> Prediction:
    """Classifies patches that lie in no scene, such as changed ones.

    Args:
        model: The model; it is put into evaluation mode and back.
        patches: At least one, standardised as in training.
        judge: Calibrates and scores what the network says; None leaves it as it is.
    """
    side = patches.shape[1]
    parts = []
    with evaluating(model):
        for some in torch.split(patches, PATCHES_AT_ONCE):
            features = model.spectra(some.reshape(-1, some.shape[3]))
            said = _prediction(model, features.view(len(some), side, side, -1))
            parts.append(judge(said) if judge else said)
    return joined(parts)


@torch.no_grad()
def predict_in_batches(
    model: PatchModel,
    source: PatchSource,
    indices: Int[Tensor, " n"],
    take: Callable[[Int[Tensor, " some"], Prediction], None],
    *,
    precision: str = "32",
    origin: tuple[int, int] | None = None,
    judge: Judge | None = None,
    with_spectra: bool = False,
) -> None:
    """Classifies pixels of a scene and hands over what is said about some of them at a time.

    Args:
        model: The model; it is put into evaluation mode and back.
        source: The scene's patches, standardised as in training.
        indices: Flat indices of the pixels in the scene, at least one.
        take: Receives which of the indices are predicted, by their numbers, and the prediction.
        precision: `"32"` or `"bf16"`; probabilities are float32 in both.
        origin: Row and column of this scene's corner in a larger one that it is a crop of. Then
            every result is the same to the last bit in any crop, for some more work where the
            pixels are scattered.
        judge: Calibrates and scores what the network says, a whole batch at a time so that its
            results, too, do not depend on other pixels; None leaves it as it is.
        with_spectra: Also give the mean spectrum of each patch.
    """
    side = source.patch_size
    with evaluating(model), lower_precision(source.table.device, precision):
        features, row_of = _spectral_features(model, source, indices, origin)
        n_cols = source.grid.n_cols
        for batch in fixed_batches(indices, n_cols, PATCHES_AT_ONCE, origin):
            neighbours = source.grid.neighbours(batch.filled(indices, PATCHES_AT_ONCE))
            rows = row_of.index_select(0, neighbours.view(-1))
            patches = features.index_select(0, rows).view(PATCHES_AT_ONCE, side, side, -1)
            said = replace(_prediction(model, patches), features=patches.float().mean(dim=(1, 2)))
            if with_spectra:
                spectra = source.table.index_select(0, neighbours.view(-1))
                spectrum = spectra.view(PATCHES_AT_ONCE, side * side, -1).mean(dim=1)
                said = replace(said, spectrum=spectrum)
            take(batch.items, (judge(said) if judge else said).at(batch.places))


def fixed_batches(
    indices: Int[Tensor, " n"], n_cols: int, size: int, origin: tuple[int, int] | None
) -> Iterator[Batch]:
    """Batches of pixels that are given by flat indices in a grid whose corner is at `origin`."""
    if origin is None:
        return in_order(len(indices), size, device=indices.device)
    rows = torch.div(indices, n_cols, rounding_mode="floor")
    cols = indices - rows * n_cols
    return by_place(rows + origin[0], cols + origin[1], size)


@contextmanager
def evaluating(model: PatchModel) -> Iterator[None]:
    """A model in evaluation mode, put back afterwards."""
    training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(training)


def _spectral_features(
    model: PatchModel,
    source: PatchSource,
    indices: Int[Tensor, " n"],
    origin: tuple[int, int] | None,
) -> tuple[Float[Tensor, "used feature"], Int[Tensor, " padded"]]:
    """Features of the pixels that the patches need, and where each padded pixel's features are."""
    grid = source.grid
    needed = torch.zeros(len(source.table), dtype=torch.bool, device=source.table.device)
    for some in torch.split(indices, MARKED_AT_ONCE):
        needed[grid.neighbours(some).view(-1)] = True
    row_of = needed.cumsum(0, dtype=torch.int32).sub_(1)
    used = needed.nonzero().squeeze(1)
    corner = None if origin is None else (origin[0] - grid.margin, origin[1] - grid.margin)
    features: Tensor | None = None
    for batch in fixed_batches(used, grid.padded_shape[1], SPECTRA_AT_ONCE, corner):
        spectra = source.table.index_select(0, batch.filled(used, SPECTRA_AT_ONCE))
        part = model.spectra(spectra)
        if features is None:
            features = part.new_empty(len(used), part.shape[1])
        features[batch.items] = part[batch.places]
    assert features is not None  # there is a pixel at least
    return features, row_of


def _prediction(model: PatchModel, features: Float[Tensor, "n row col channel"]) -> Prediction:
    """What is said of the patches, or the average over their symmetries if the model wants it.

    The features of the spectra are turned, not the spectra: the spectral stage runs once.
    """
    if not model.averages_symmetries:
        return _centre(model, features)
    return averaged([_centre(model, variant) for variant in dihedral_variants(features)])


def _centre(model: PatchModel, features: Float[Tensor, "n row col channel"]) -> Prediction:
    embedding, logits = model.from_spectra(features)
    middle = embedding.mean.shape[1] // 2  # of the map, which may be smaller than the patch
    variance = None
    if embedding.log_variance is not None:
        variance = embedding.log_variance[:, middle, middle].float().exp().mean(dim=1)
    logits = logits.float()
    mean = embedding.mean[:, middle, middle].float()
    return Prediction(logits.softmax(dim=1), mean, variance, logits)
