"""How well a score tells two kinds of pixels apart: wrong from right, or changed from unchanged."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float
from scipy.stats import rankdata


def auroc(score: Float[np.ndarray, " n"], positive: Bool[np.ndarray, " n"]) -> float | None:
    """Probability that a positive has a higher score than a negative; ties count half.

    The area under the receiver operating characteristic, as the statistic of Mann and Whitney:
    (sum of the ranks of the positives - P (P + 1) / 2) / (P N).

    Returns:
        0 to 1, 0.5 for a score that says nothing; None without positives or without negatives.
    """
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    if not n_positive or not n_negative:
        return None
    ranks = rankdata(score)[positive].sum()
    return float((ranks - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative))
