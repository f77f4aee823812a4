"""Scores against scikit-learn and against numbers worked by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    cohen_kappa_score,
    recall_score,
)

from pdml.errors import InvalidInputError
from pdml.evaluation.scores import score

NAMES = ("a", "b", "c", "d")


def test_scores_agree_with_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 500)
    predicted = np.where(rng.random(500) < 0.7, truth, rng.integers(0, 4, 500))
    scores = score(truth, predicted, class_names=NAMES)
    assert scores.oa == pytest.approx(accuracy_score(truth, predicted))
    assert scores.aa == pytest.approx(balanced_accuracy_score(truth, predicted))
    assert scores.kappa == pytest.approx(cohen_kappa_score(truth, predicted))
    np.testing.assert_allclose(scores.recall, recall_score(truth, predicted, average=None))


def test_average_accuracy_is_mean_recall_and_not_mean_precision() -> None:
    # 4 pixels of a: 2 found, 2 taken for b; 1 pixel of b: found.
    # Recall 1/2 and 1: mean 3/4. Precision 1 and 1/3: mean 2/3.
    scores = score(np.array([0, 0, 0, 0, 1]), np.array([0, 0, 1, 1, 1]), class_names=("a", "b"))
    assert scores.aa == pytest.approx(3 / 4)


def test_kappa_of_a_hand_worked_table() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: agreement 0.7, by chance 0.5, kappa 0.4
    truth = np.repeat([0, 0, 1, 1], [20, 5, 10, 15])
    predicted = np.repeat([0, 1, 0, 1], [20, 5, 10, 15])
    assert score(truth, predicted, class_names=("yes", "no")).kappa == pytest.approx(0.4)


def test_kappa_is_zero_when_all_pixels_get_one_class() -> None:
    scores = score(np.array([0, 0, 1]), np.array([0, 0, 0]), class_names=("a", "b"))
    assert scores.kappa == pytest.approx(0.0)


def test_kappa_is_not_defined_when_truth_and_prediction_are_one_class() -> None:
    scores = score(np.zeros(3, int), np.zeros(3, int), class_names=("a", "b"))
    assert math.isnan(scores.kappa)
    assert scores.oa == scores.aa == 1.0
    assert scores.to_dict()["kappa"] is None


def test_kappa_is_one_for_perfect_and_minus_one_for_swapped_halves() -> None:
    truth = np.array([0, 0, 1, 1])
    assert score(truth, truth, class_names=("a", "b")).kappa == pytest.approx(1)
    assert score(truth, 1 - truth, class_names=("a", "b")).kappa == pytest.approx(-1)


def test_a_class_without_test_pixels_has_no_recall_and_no_part_in_the_average() -> None:
    scores = score(np.array([0, 0, 1]), np.array([0, 2, 1]), class_names=("a", "b", "c"))
    np.testing.assert_array_equal(scores.support, [2, 1, 0])
    np.testing.assert_array_equal(scores.recall, [0.5, 1.0, np.nan])
    assert scores.aa == pytest.approx(0.75)


def test_the_record_is_strict_json_with_null_for_what_is_not_defined() -> None:
    scores = score(np.array([0, 0]), np.array([0, 1]), class_names=("a", "b"))
    record = json.loads(json.dumps(scores.to_dict(), allow_nan=False))
    assert record["per_class"] == {
        "a": {"recall": 0.5, "support": 2},
        "b": {"recall": None, "support": 0},
    }
    assert record["confusion"] == [[1, 1], [0, 0]]
    assert record["nll"] is record["brier"] is record["ece"] is None


def test_the_record_holds_scores_of_the_probabilities_when_these_are_given() -> None:
    probability = np.array([[0.8, 0.2], [0.4, 0.6]])
    scores = score(
        np.array([0, 1]), np.array([0, 1]), class_names=("a", "b"), probability=probability
    )
    assert scores.to_dict()["nll"] == pytest.approx(-(math.log(0.8) + math.log(0.6)) / 2)


def test_no_test_pixel_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="at least one test pixel, got none"):
        score(np.zeros(0, int), np.zeros(0, int), class_names=("a",))


def test_two_classes_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="got 'grass' 2 times"):
        score(np.zeros(1, int), np.zeros(1, int), class_names=("grass", "soil", "grass"))


def test_probabilities_of_another_number_of_classes_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="got 3 columns for 2 class names"):
        score(
            np.zeros(1, int),
            np.zeros(1, int),
            class_names=("a", "b"),
            probability=np.full((1, 3), 1 / 3),
        )
