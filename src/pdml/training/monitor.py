"""Looking at a model between epochs: validation scores, and which epoch is the best so far."""

from __future__ import annotations

import math
import time

import torch

from pdml.embeddings.predict import predict_pixels
from pdml.errors import DivergedError
from pdml.patches.source import PatchSource
from pdml.scenes.labels import LabelledPixels
from pdml.splits.split import Split
from pdml.training.history import Row
from pdml.training.recipe import Recipe
from pdml.training.state import TrainingState


def score_epoch(
    state: TrainingState, row: Row, source: PatchSource, split: Split, recipe: Recipe
) -> None:
    """Adds validation scores to an epoch's row and remembers the weights if they are the best.

    The best epoch has the highest overall accuracy on validation pixels; among equals, the lowest
    mean negative log-likelihood. Test accuracy is noted under `test_oa_watched` if the recipe
    wants to see it; nothing depends on it.

    Raises:
        DivergedError: If the loss is not a number any more.
    """
    if not math.isfinite(row["total"]):
        raise DivergedError(
            f"the loss must stay finite, it became {row['total']} in epoch {state.epoch}; "
            "try a lower learning_rate, gradient_clip = 1.0 or lap_form = 'hinge'"
        )
    started = time.perf_counter()
    if len(split.validation):
        row["validation_oa"], row["validation_nll"] = _accuracy(
            state, source, split.validation, recipe
        )
        if not state.best_epoch or _rank(row) > _rank(state.history[state.best_epoch - 1]):
            state.keep_as_best()
    row["validation_seconds"] = time.perf_counter() - started
    if recipe.watch_test and len(split.test):
        row["test_oa_watched"], _ = _accuracy(state, source, split.test, recipe)


def _rank(row: Row) -> tuple[float, float]:
    return row["validation_oa"], -row["validation_nll"]


def _accuracy(
    state: TrainingState, source: PatchSource, pixels: LabelledPixels, recipe: Recipe
) -> tuple[float, float]:
    device = source.table.device
    truth = torch.from_numpy(pixels.classes).to(device)
    prediction = predict_pixels(
        state.evaluated,
        source,
        torch.from_numpy(pixels.indices).to(device),
        precision=recipe.precision,
    )
    right = (prediction.classes == truth).float().mean()
    of_truth = prediction.probability.gather(1, truth[:, None])
    tiny = torch.finfo(of_truth.dtype).tiny
    return float(right), float(-of_truth.clamp_min(tiny).log().mean())
