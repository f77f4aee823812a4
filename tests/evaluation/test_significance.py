"""Paired tests, worked out by hand and by counting all signs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.evaluation.significance import FEWEST_PAIRS, paired_test


def by_counting(difference: np.ndarray) -> float:
    """Share of all choices of signs whose rank sum is as far from its mean as the one observed."""
    ranks = np.argsort(np.argsort(np.abs(difference))) + 1.0
    middle = ranks.sum() / 2
    observed = abs(ranks[difference > 0].sum() - middle)
    sums = [
        abs(sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign) - middle)
        for signs in product((False, True), repeat=len(ranks))
    ]
    return float(np.mean([one >= observed - 1e-9 for one in sums]))


def test_six_pairs_that_all_agree_are_just_enough() -> None:
    worse = np.zeros(6)
    found = paired_test(np.arange(1.0, 7.0), worse)
    assert found.p == pytest.approx(2 / 2**6)
    assert found.verdict == "holds"
    assert found.mean_difference == pytest.approx(3.5)
    assert paired_test(-np.arange(1.0, 7.0), worse).verdict == "the opposite holds"


def test_below_six_pairs_nothing_is_said() -> None:
    found = paired_test(np.arange(1.0, FEWEST_PAIRS), np.zeros(FEWEST_PAIRS - 1))
    assert (found.n_pairs, found.p, found.verdict) == (5, None, "too few seeds")


def test_p_is_that_of_counting_all_signs() -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        better, worse = rng.normal(0.5, 1, 9), rng.normal(size=9)
        found = paired_test(better, worse)
        assert found.p == pytest.approx(by_counting(better - worse))


def test_equal_scores_show_nothing() -> None:
    same = np.full(7, 0.9)
    found = paired_test(same, same)
    assert (found.p, found.verdict, found.mean_difference) == (1.0, "not shown", 0.0)


def test_ties_and_single_zeros_are_borne() -> None:
    found = paired_test(np.array([0.0, 1, 1, 1, 1, 1, 1, -1]), np.zeros(8))
    assert found.p is not None
    assert 0 < found.p <= 1


def test_scores_of_different_seeds_are_refused() -> None:
    with pytest.raises(
        InvalidInputError, match=r"for the same seeds, got shapes \(3,\) and \(2,\)"
    ):
        paired_test(np.zeros(3), np.zeros(2))
    with pytest.raises(InvalidInputError, match=r"a paired test needs the scores of both methods"):
        paired_test(np.zeros(0), np.zeros(0))
