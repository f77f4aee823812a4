"""Scores of the probabilities themselves: is a pixel that says 90 % right nine times in ten?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from pdml.errors import InvalidInputError

N_BINS = 15
SUM_TOLERANCE = 1e-3  # probabilities may have been stored in half precision


@dataclass(frozen=True)
class ProbabilityScores:
    """How good the probabilities are; lower is better for all three.

    Attributes:
        nll: Mean negative natural logarithm of the probability given to the true class.
        brier: Mean squared distance to the one-hot truth, summed over classes: 0 to 2.
        ece: Expected calibration error, the mean gap between top probability and accuracy.
    """

    nll: float
    brier: float
    ece: float


@dataclass(frozen=True)
class Reliability:
    """What was said and what was so, in bins of the top probability.

    Attributes:
        count: Pixels in each bin.
        stated: Their mean top probability; 0 in an empty bin.
        accuracy: Share of them that is right; 0 in an empty bin.
    """

    count: Int[np.ndarray, " bin"]
    stated: Float[np.ndarray, " bin"]
    accuracy: Float[np.ndarray, " bin"]


def score_probability(
    truth: Int[np.ndarray, " n"], probability: Float[np.ndarray, "n class_"]
) -> ProbabilityScores:
    """Scores class probabilities against the true classes.

    A probability of the true class that was rounded to zero counts as the smallest normal number
    of single precision, so that one such pixel costs about 87 and not infinity.

    Args:
        truth: True classes, 0 to K-1.
        probability: Probability of each class; each row sums to one.

    Raises:
        InvalidInputError: If these are not probabilities of these pixels.
    """
    _require_probabilities(truth, probability)
    p = probability.astype(np.float64)
    p_truth = p[np.arange(len(truth)), truth]
    # |p - e|^2 = |p|^2 - 2 p_truth + 1, which needs no one-hot matrix
    brier = np.mean((p**2).sum(axis=1) - 2 * p_truth + 1)
    nll = -np.mean(np.log(np.maximum(p_truth, np.finfo(np.float32).tiny)))
    return ProbabilityScores(float(nll), float(brier), calibration_error(truth, p))


def calibration_error(
    truth: Int[np.ndarray, " n"],
    probability: Float[np.ndarray, "n class_"],
    *,
    n_bins: int = N_BINS,
) -> float:
    """Expected calibration error over equally wide bins of the top probability.

    Args:
        truth: True classes, 0 to K-1.
        probability: Probability of each class.
        n_bins: Number of bins between 0 and 1; a bin holds its upper end.

    Returns:
        The gap between mean top probability and accuracy in a bin, averaged over pixels.
    """
    bins = reliability(truth, probability, n_bins=n_bins)
    return float((bins.count * np.abs(bins.stated - bins.accuracy)).sum() / len(truth))


def reliability(
    truth: Int[np.ndarray, " n"],
    probability: Float[np.ndarray, "n class_"],
    *,
    n_bins: int = N_BINS,
) -> Reliability:
    """Accuracy over equally wide bins of the top probability; a bin holds its upper end."""
    top = probability.max(axis=1)
    correct = probability.argmax(axis=1) == truth
    bins = np.clip(np.ceil(top * n_bins).astype(np.int64) - 1, 0, n_bins - 1)
    count = np.bincount(bins, minlength=n_bins)
    share = 1 / np.maximum(count, 1)
    return Reliability(
        count,
        np.bincount(bins, weights=top, minlength=n_bins) * share,
        np.bincount(bins, weights=correct, minlength=n_bins) * share,
    )


def _require_probabilities(
    truth: Int[np.ndarray, " n"], probability: Float[np.ndarray, "n class_"]
) -> None:
    if probability.ndim != 2 or len(probability) != len(truth):
        raise InvalidInputError(
            f"probabilities must be (pixel, class) for the {len(truth)} pixels that are scored, "
            f"got shape {probability.shape}; take them at the indices of these pixels"
        )
    total = probability.sum(axis=1, dtype=np.float64)
    wrong = ~(np.abs(total - 1) <= SUM_TOLERANCE) | (probability < 0).any(axis=1)
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise InvalidInputError(
            "probabilities must be at least 0 and sum to 1 at each pixel, got a sum of "
            f"{total[first]:.4g} and a minimum of {probability[first].min():.4g} at position "
            f"{first} ({int(wrong.sum())} such pixels); pass probabilities, not logits"
        )
