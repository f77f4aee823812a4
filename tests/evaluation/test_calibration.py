"""Scores of probabilities against scikit-learn, a loop and numbers worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import log_loss

from pdml.errors import InvalidInputError
from pdml.evaluation.calibration import calibration_error, reliability, score_probability


def test_likelihood_and_brier_agree_with_scikit_learn_and_a_one_hot_matrix() -> None:
    rng = np.random.default_rng(0)
    probability, truth = rng.dirichlet(np.ones(5), size=200), rng.integers(0, 5, 200)
    scores = score_probability(truth, probability)
    assert scores.nll == pytest.approx(log_loss(truth, probability, labels=range(5)))
    one_hot = np.eye(5)[truth]
    assert scores.brier == pytest.approx(((probability - one_hot) ** 2).sum(axis=1).mean())


def test_calibration_error_agrees_with_a_loop_over_bins() -> None:
    rng = np.random.default_rng(1)
    probability, truth = rng.dirichlet(np.ones(4), size=500), rng.integers(0, 4, 500)
    top, correct = probability.max(axis=1), probability.argmax(axis=1) == truth
    expected = 0.0
    for number in range(15):
        inside = (top > number / 15) & (top <= (number + 1) / 15)
        if inside.any():
            expected += inside.mean() * abs(correct[inside].mean() - top[inside].mean())
    assert calibration_error(truth, probability) == pytest.approx(expected)


def test_calibration_error_of_a_hand_worked_case() -> None:
    # both pixels say 0.9, one is right: accuracy 0.5 in the bin, so the error is 0.4
    probability = np.array([[0.9, 0.1], [0.9, 0.1]])
    assert calibration_error(np.array([0, 1]), probability) == pytest.approx(0.4)


def test_sure_and_right_scores_zero_everywhere() -> None:
    scores = score_probability(np.array([0, 1]), np.eye(2))
    assert (scores.nll, scores.brier, scores.ece) == (0, 0, 0)


def test_sure_and_wrong_is_as_bad_as_it_gets_but_finite() -> None:
    scores = score_probability(np.array([1, 0]), np.eye(2, dtype=np.float32))
    assert scores.brier == pytest.approx(2)
    assert scores.ece == pytest.approx(1)
    assert scores.nll == pytest.approx(126 * math.log(2))  # the smallest normal is 2^-126


def test_logits_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"sum of 3 and a minimum of -1 .* not logits"):
        score_probability(np.array([0]), np.array([[4.0, -1.0]]))


def test_not_a_number_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="sum to 1 at each pixel, got a sum of nan"):
        score_probability(np.array([0]), np.array([[np.nan, 1.0]]))


def test_probabilities_of_other_pixels_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"for the 2 pixels .* got shape \(3, 2\)"):
        score_probability(np.array([0, 1]), np.full((3, 2), 0.5))


def test_bins_hold_all_pixels_what_they_say_and_how_many_are_right() -> None:
    probability = np.array([[0.9, 0.1], [0.92, 0.08], [0.45, 0.55], [0.0, 1.0]])
    bins = reliability(np.array([0, 1, 1, 1]), probability, n_bins=10)
    assert bins.count.tolist() == [0, 0, 0, 0, 0, 1, 0, 0, 1, 2]
    assert bins.stated[[5, 8, 9]] == pytest.approx([0.55, 0.9, 0.96])
    assert bins.accuracy[[5, 8, 9]] == pytest.approx([1, 1, 0.5])
