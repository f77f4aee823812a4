"""How good probabilities and scores of doubt are on pixels whose classes are known."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Bool, Float, Int

from pdml.evaluation.calibration import Reliability, reliability, score_probability
from pdml.evaluation.metrics import DoubtRecord, ReliabilityRecord, UncertaintyRecord
from pdml.evaluation.ranking import auroc
from pdml.evaluation.risk_coverage import aurc, risk_curve, share_of_ideal

BASELINE = "max_softmax"
"""The score that every other has to beat."""

CURVE_POINTS = 40


def doubt_quality(
    truth: Int[np.ndarray, " n"],
    *,
    before: Float[np.ndarray, "n class_"],
    after: Float[np.ndarray, "n class_"],
    scores: Mapping[str, Float[np.ndarray, " n"]],
) -> UncertaintyRecord:
    """Calibration before and after temperature scaling, and what each score knows of mistakes.

    Args:
        truth: True classes.
        before: Class probabilities as the method says them.
        after: The same, calibrated.
        scores: Measures of doubt by name, larger where there is more.
    """
    quality = score_probability(truth, before)
    wrong = after.argmax(axis=1) != truth
    return {
        "uncalibrated": {"nll": quality.nll, "brier": quality.brier, "ece": quality.ece},
        "error_rate": float(wrong.mean()),
        "aurc_ideal": aurc(wrong.astype(np.float64), wrong),
        "scores": {name: _of_score(score, wrong) for name, score in scores.items()},
        "reliability": {
            "before": _of_bins(reliability(truth, before)),
            "after": _of_bins(reliability(truth, after)),
        },
    }


def _of_score(score: Float[np.ndarray, " n"], wrong: Bool[np.ndarray, " n"]) -> DoubtRecord:
    risk = risk_curve(score, wrong)
    shown = np.unique(np.linspace(0, len(risk) - 1, CURVE_POINTS).round().astype(int))
    return {
        "auroc": auroc(score, wrong),
        "aurc": float(risk.mean()),
        "share_of_ideal": share_of_ideal(score, wrong),
        "coverage": ((shown + 1) / len(risk)).tolist(),
        "risk": risk[shown].tolist(),
    }


def _of_bins(bins: Reliability) -> ReliabilityRecord:
    return {
        "count": bins.count.tolist(),
        "stated": bins.stated.tolist(),
        "accuracy": bins.accuracy.tolist(),
    }
