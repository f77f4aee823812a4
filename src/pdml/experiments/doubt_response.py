"""Does doubt rise where it should: on worse spectra, on outer pixels, near borders?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from jaxtyping import Float
from scipy.stats import spearmanr
from torch import Tensor

from pdml.embeddings.predict import evaluating, predict_patches
from pdml.embeddings.prediction import Prediction
from pdml.evaluation.metrics import ResponseRecord
from pdml.evaluation.perturb import with_dead_bands, with_noise, with_other_class
from pdml.evaluation.ranking import auroc
from pdml.inference.bundle import Bundle
from pdml.losses.laps import laps
from pdml.patches.normalise import Standardiser

STRENGTHS = {
    "band_noise": (0.1, 0.3, 1.0),
    "dead_bands": (0.02, 0.1, 0.3),
    "mixed_pixels": (0.1, 0.3, 0.5),
}
"""Noise in standard deviations of a band; shares of the bands; shares of another class."""

Change = Callable[[float, torch.Generator], Float[Tensor, "n row col band"]]


def responses(
    bundle: Bundle,
    patches: Float[Tensor, "n row col band"],
    classes: Tensor,
    judge: Callable[[Prediction], Prediction],
    *,
    seed: int = 0,
) -> dict[str, ResponseRecord]:
    """How every score answers to patches that are made worse.

    A score's answer is the probability that a changed pixel is more doubtful than an unchanged one:
    0.5 where it does not notice, 1 where it always does.

    Args:
        bundle: The model.
        patches: Patches as they are.
        classes: Their classes, for mixing with another one.
        judge: Gives predictions their scores.
        seed: Of all changes.
    """
    changes: dict[str, Change] = {
        "band_noise": lambda s, g: with_noise(patches, s, generator=g),
        "mixed_pixels": lambda s, g: with_other_class(patches, classes, s, generator=g),
    }
    if bundle.standardiser.projection is None:  # principal components have no dead bands
        dead = dead_reading(bundle.standardiser)
        changes["dead_bands"] = lambda s, g: with_dead_bands(patches, s, dead, generator=g)
    before = _scores(predict_patches(bundle.model, patches, judge=judge))
    found: dict[str, ResponseRecord] = {}
    for name, change in changes.items():
        answers: dict[str, list[float]] = {score: [] for score in before}
        for strength in STRENGTHS[name]:
            worse = change(strength, torch.Generator().manual_seed(seed))
            after = _scores(predict_patches(bundle.model, worse, judge=judge))
            for score, values in after.items():
                answers[score].append(_more_doubtful(values, before[score]))
        found[name] = {"strengths": list(STRENGTHS[name]), "scores": answers}
    return found


def dead_reading(standardiser: Standardiser) -> Float[Tensor, " band"]:
    """What a detector that reads zero gives in each band, standardised."""
    return torch.from_numpy(standardiser.apply(np.zeros(standardiser.n_bands)))


@torch.no_grad()
def lap_correlation(bundle: Bundle, patches: Float[Tensor, "n row col band"]) -> float | None:
    """Spearman correlation of the variance of a patch's pixels with their lap, mean over patches.

    Returns:
        1 where outer pixels are always less certain; None for a model without variance, or one
        whose maps have a single pixel.
    """
    if not bundle.model.has_variance:
        return None
    with evaluating(bundle.model):
        embedding, _ = bundle.model(patches)
    if embedding.log_variance is None or embedding.mean.shape[1] == 1:
        return None
    variance = embedding.variance.mean(dim=3).flatten(1).float().cpu().numpy()
    lap = laps(embedding.mean.shape[1]).flatten().numpy()
    varying = variance[np.ptp(variance, axis=1) > 0]
    if not len(varying):
        return None
    return float(np.mean([spearmanr(one, lap).statistic for one in varying]))


def rank_correlation(one: Float[np.ndarray, " n"], other: Float[np.ndarray, " n"]) -> float | None:
    """Spearman correlation over the pixels at which both are finite; None if one is constant."""
    finite = np.isfinite(one) & np.isfinite(other)
    one, other = one[finite], other[finite]
    if len(one) < 2 or not np.ptp(one) or not np.ptp(other):
        return None
    return float(spearmanr(one, other).statistic)


def _scores(prediction: Prediction) -> dict[str, Float[np.ndarray, " n"]]:
    return {name: score.cpu().numpy() for name, score in prediction.scores.items()}


def _more_doubtful(after: Float[np.ndarray, " n"], before: Float[np.ndarray, " n"]) -> float:
    changed = np.repeat([True, False], [len(after), len(before)])
    answer = auroc(np.concatenate([after, before]), changed)
    assert answer is not None  # both are there
    return answer
