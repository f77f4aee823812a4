"""Risk and coverage against loops and cases worked by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from pdml.evaluation.risk_coverage import aurc, risk_curve, share_of_ideal


def test_the_risk_is_the_error_rate_of_the_least_doubtful() -> None:
    rng = np.random.default_rng(0)
    doubt, wrong = rng.random(50), rng.random(50) < 0.3
    order = sorted(range(50), key=lambda i: doubt[i])
    by_loop = [sum(wrong[i] for i in order[: n + 1]) / (n + 1) for n in range(50)]
    np.testing.assert_allclose(risk_curve(doubt, wrong), by_loop)
    assert aurc(doubt, wrong) == pytest.approx(np.mean(by_loop))


def test_ties_count_as_the_mean_over_all_their_orders() -> None:
    doubt = np.array([0.1, 0.5, 0.5, 0.5, 0.9])
    wrong = np.array([False, True, False, False, True])
    curves = []
    for middle in itertools.permutations([1, 2, 3]):
        found = [bool(wrong[i]) for i in (0, *middle, 4)]
        curves.append(np.cumsum(found) / np.arange(1, 6))
    np.testing.assert_allclose(risk_curve(doubt, wrong), np.mean(curves, axis=0))


def test_the_ideal_gains_all_a_constant_nothing_and_a_liar_less_than_nothing() -> None:
    wrong = np.array([False, False, True, False])
    assert share_of_ideal(wrong.astype(float), wrong) == pytest.approx(1)
    assert share_of_ideal(np.ones(4), wrong) == pytest.approx(0)
    liar = share_of_ideal(-wrong.astype(float), wrong)
    assert liar is not None
    assert liar < 0


def test_a_hand_worked_area() -> None:
    # kept: right, right, wrong, right -> 0, 0, 1/3, 1/4
    wrong = np.array([False, False, True, False])
    assert aurc(np.arange(4.0), wrong) == pytest.approx((1 / 3 + 1 / 4) / 4)


def test_without_a_mistake_nothing_can_be_gained() -> None:
    assert share_of_ideal(np.arange(3.0), np.zeros(3, bool)) is None
    assert share_of_ideal(np.arange(3.0), np.ones(3, bool)) is None
