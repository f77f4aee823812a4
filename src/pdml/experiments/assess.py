"""Is the uncertainty worth its name? Everything that the test pixels say about it."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch
from jaxtyping import Float, Int

from pdml.embeddings.prediction import Prediction, joined
from pdml.errors import InvalidInputError
from pdml.evaluation.border_distance import border_distance
from pdml.evaluation.doubt_quality import doubt_quality
from pdml.evaluation.metrics import UncertaintyRecord
from pdml.experiments.alone import alone_record
from pdml.experiments.doubt_response import lap_correlation, rank_correlation, responses
from pdml.inference.bundle import Bundle
from pdml.inference.doubt import DOUBT_SCORES
from pdml.inference.judged import heard_pixels
from pdml.inference.uncertainty import Uncertainty
from pdml.inference.unknown.detector import UNKNOWN, require_detector
from pdml.inference.unknown.false_alarm import USUAL_FALSE_ALARM
from pdml.patches.source import PatchSource
from pdml.scenes.labels import LabelMap
from pdml.splits.split import Split

MOST_CHANGED = 400
"""Test pixels that are made worse in several ways: enough for two digits, and a few seconds."""
SEED = 0
JUDGED_AT_ONCE = 4096


def assess(
    bundle: Bundle, source: PatchSource, split: Split, labels: LabelMap | None = None
) -> tuple[UncertaintyRecord, Prediction]:
    """Judges all test pixels, and some of them again after their spectra were made worse.

    Args:
        bundle: The model with what its doubts mean.
        source: The scene's patches, as in training.
        split: Its split; it has test pixels.
        labels: All labels of the scene, which say where borders are; those of the split if None.

    Returns:
        What stands in `metrics.json`, and the calibrated prediction of the test pixels.
    """
    device = source.table.device
    known = bundle.uncertainty
    judge = partial(known.judge, wanted=DOUBT_SCORES.names())
    indices = torch.from_numpy(split.test.indices).to(device)
    everything = (*DOUBT_SCORES.names(), UNKNOWN)
    heard = heard_pixels(bundle.model, known, source, indices, wanted=everything)
    rows = torch.split(torch.arange(len(indices), device=device), JUDGED_AT_ONCE)
    judged = joined([known.judge(heard.at(some), everything) for some in rows])
    doubts = {name: score for name, score in judged.scores.items() if name != UNKNOWN}
    record = doubt_quality(
        split.test.classes,
        before=heard.probability.cpu().numpy(),
        after=judged.probability.cpu().numpy(),
        scores={name: score.cpu().numpy() for name, score in doubts.items()},
    )
    some = np.random.default_rng(SEED).permutation(len(indices))[:MOST_CHANGED]
    chosen = torch.from_numpy(np.sort(some)).to(device)
    patches = source.gather(indices[chosen])
    classes = torch.from_numpy(split.test.classes).to(device)[chosen]
    record["temperature"] = known.temperature
    record["rounds"], record["alone"] = known.reach, alone_record(split.test.classes, judged)
    record["n_validation"], record["n_wrong_validation"] = known.n_validation, known.n_wrong
    record["combination"] = known.combination.to_dict() if known.combination else None
    record["called_unknown"] = _called_unknown(judged, known)
    record["n_changed"] = len(chosen)
    record["variance_with_lap"] = lap_correlation(bundle, patches)
    record["variance_with_border"] = _with_border(judged, split, labels)
    record["response"] = responses(bundle, patches, classes, judge, seed=SEED)
    return record, judged


def _called_unknown(judged: Prediction, known: Uncertainty) -> float | None:
    """Share of the test pixels that `--reject` would take for unknown; None without a threshold."""
    try:
        threshold = require_detector(known.unknown).threshold(USUAL_FALSE_ALARM)
    except InvalidInputError:
        return None
    return float((judged.scores[UNKNOWN] > threshold).double().mean())


def _with_border(judged: Prediction, split: Split, labels: LabelMap | None) -> float | None:
    """Rank correlation of the variance with the distance to a border: below 0 if it rises there."""
    if judged.variance is None:
        return None
    codes = labels.codes if labels is not None else _codes(split)
    distance: Float[np.ndarray, " n"] = border_distance(codes).ravel()[split.test.indices]
    return rank_correlation(judged.variance.cpu().numpy(), distance)


def _codes(split: Split) -> Int[np.ndarray, "row col"]:
    codes = np.zeros(split.scene_shape, dtype=np.int64)
    for part in (split.train, split.validation, split.test):
        codes.flat[part.indices] = part.classes + 1
    return codes
