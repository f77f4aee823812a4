"""Risk and coverage: the error rate that is left when the most doubtful pixels are put aside."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float


def risk_curve(
    doubt: Float[np.ndarray, " n"], wrong: Bool[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """Share of mistakes among the i + 1 least doubtful pixels, for every i.

    Pixels of equal doubt come in no order: each counts as the mean of them (Geifman and El-Yaniv,
    "Selective classification for deep neural networks", NeurIPS 2017, with ties).
    """
    _, group, count = np.unique(doubt, return_inverse=True, return_counts=True)
    mean = np.bincount(group, weights=wrong) / count
    risk: Float[np.ndarray, " n"] = np.cumsum(mean[np.sort(group)]) / np.arange(1, len(doubt) + 1)
    return risk


def aurc(doubt: Float[np.ndarray, " n"], wrong: Bool[np.ndarray, " n"]) -> float:
    """Area under the curve of risk over coverage: the mean risk over all coverages."""
    return float(risk_curve(doubt, wrong).mean())


def share_of_ideal(doubt: Float[np.ndarray, " n"], wrong: Bool[np.ndarray, " n"]) -> float | None:
    """How much of what could be gained by putting pixels aside is gained.

    Returns:
        1 if all mistakes are more doubtful than all others, 0 for a score that says nothing, less
        for one that misleads; None if all pixels are right or all are wrong.
    """
    by_chance = float(wrong.mean())
    best = aurc(wrong.astype(np.float64), wrong)
    return (by_chance - aurc(doubt, wrong)) / (by_chance - best) if 0 < by_chance < 1 else None
