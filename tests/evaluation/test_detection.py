"""AUROC and false alarms against counts of pairs and a walk over all thresholds."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.evaluation.detection import detection


def scores_and_truth(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers, so that there are ties."""
    rng = np.random.default_rng(seed)
    positive = rng.random(60) < 0.4
    return rng.integers(0, 12, 60) + 3.0 * positive, positive


@pytest.mark.parametrize("seed", range(4))
def test_auroc_is_the_share_of_pairs_in_order(seed: int) -> None:
    score, positive = scores_and_truth(seed)
    pairs = [(a > b) + 0.5 * (a == b) for a in score[positive] for b in score[~positive]]
    assert detection(score, positive).auroc == pytest.approx(np.mean(pairs))


@pytest.mark.parametrize("seed", range(4))
def test_false_alarms_are_those_of_the_highest_threshold_that_finds_enough(seed: int) -> None:
    score, positive = scores_and_truth(seed)
    found = [t for t in np.unique(score) if (score[positive] >= t).mean() >= 0.95]
    assert detection(score, positive).fpr95 == (score[~positive] >= max(found)).mean()


def test_what_is_told_apart_has_no_false_alarms_and_the_opposite_has_only_such() -> None:
    positive = np.array([False] * 5 + [True] * 3)
    best, worst = (detection(sign * np.arange(8.0), positive) for sign in (1, -1))
    assert (best.auroc, best.fpr95) == (1.0, 0.0)
    assert (worst.auroc, worst.fpr95) == (0.0, 1.0)


def test_one_kind_of_pixels_alone_and_no_numbers_are_refused() -> None:
    with pytest.raises(InvalidInputError) as alone:
        detection(np.zeros(4), np.ones(4, dtype=bool))
    assert str(alone.value) == (
        "a detector is scored on pixels of both kinds, got 4 to be found and 0 others; choose "
        "pixels with both"
    )
    with pytest.raises(InvalidInputError) as no_number:
        detection(np.array([0, np.nan]), np.array([True, False]))
    assert str(no_number.value) == (
        "a detector's scores must be numbers, got NaN at 1 of 2 pixels; leave out pixels that "
        "were not measured"
    )
