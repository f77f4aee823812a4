"""The threshold of unknown material keeps its promise, or says why it cannot."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.inference.unknown.false_alarm import threshold_for


def test_nine_scores_and_a_rate_of_a_fifth_worked_out_by_hand() -> None:
    # (9 + 1) * 0.8 = 8: the eighth smallest
    assert threshold_for(np.array([9, 1, 5, 3, 7, 2, 8, 4, 6.0]), 0.2) == 8.0


def test_ninety_nine_scores_are_just_enough_for_one_in_a_hundred() -> None:
    assert threshold_for(np.arange(99.0), 0.01) == 98.0


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("n", [20, 33])
def test_new_pixels_of_the_same_kind_pass_it_no_more_often_than_promised(
    rate: float, n: int
) -> None:
    # Of n + 1 pixels in random order, any is the new one: count how often it passes the others'.
    scores = np.random.default_rng(0).exponential(size=n + 1)
    passes = [scores[i] > threshold_for(np.delete(scores, i), rate) for i in range(n + 1)]
    assert rate - 1 / (n + 1) < np.mean(passes) <= rate


def test_what_is_no_rate_is_refused() -> None:
    for rate in (0.0, 1.0, 7.0, float("nan")):
        with pytest.raises(InvalidInputError) as refusal:
            threshold_for(np.arange(9.0), rate)
        assert str(refusal.value) == (
            f"--false-alarm must be between 0 and 1, got {rate:g}; 0.05 takes one known pixel in "
            "twenty for unknown"
        )


def test_too_few_validation_pixels_are_counted() -> None:
    with pytest.raises(InvalidInputError) as refusal:
        threshold_for(np.arange(98.0), 0.01)
    assert str(refusal.value) == (
        "--false-alarm 0.01 needs at least 99 validation pixels, this model had 98; allow more "
        "false alarms, or train with more validation pixels"
    )


def test_no_validation_pixels_are_one_clear_line() -> None:
    with pytest.raises(InvalidInputError) as refusal:
        threshold_for(np.zeros(0), 0.05)
    assert str(refusal.value) == (
        "--reject needs a threshold, which is fitted on validation pixels, and this model was "
        "trained without any; train again with --validation 0.1, or leave out --reject"
    )
