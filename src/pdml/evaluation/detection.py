"""How well a score tells two kinds of pixels apart: AUROC, and its false alarms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from pdml.errors import InvalidInputError

FIND_RATE = 0.95


@dataclass(frozen=True)
class Detection:
    """How well a score finds what is to be found.

    Attributes:
        auroc: Probability that a pixel that is to be found has a higher score than another one; a
            tie counts half. 0.5 is guessing.
        fpr95: Share of the others at or above the threshold that finds 95 % of what is to be found.
    """

    auroc: float
    fpr95: float


def detection(score: Float[np.ndarray, " n"], positive: Bool[np.ndarray, " n"]) -> Detection:
    """Scores a detector.

    Args:
        score: Of each pixel, high where something is found.
        positive: Whether there is something to be found.

    Raises:
        InvalidInputError: If there is nothing to be found, or nothing else, or a score is NaN.
    """
    found, others = score[positive], score[~positive]
    if not len(found) or not len(others):
        raise InvalidInputError(
            f"a detector is scored on pixels of both kinds, got {len(found)} to be found and "
            f"{len(others)} others; choose pixels with both"
        )
    if np.isnan(score).any():
        raise InvalidInputError(
            f"a detector's scores must be numbers, got NaN at {int(np.isnan(score).sum())} of "
            f"{len(score)} pixels; leave out pixels that were not measured"
        )
    from sklearn.metrics import roc_auc_score

    n_found = int(np.ceil(FIND_RATE * len(found)))
    threshold = np.sort(found)[len(found) - n_found]
    return Detection(
        auroc=float(roc_auc_score(positive, score)), fpr95=float((others >= threshold).mean())
    )
