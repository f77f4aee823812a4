"""Learning rates at steps whose value can be worked out by hand."""

from __future__ import annotations

import math

import pytest

from pdml.training.schedule import learning_rate


def one_cycle(step: int, n_steps: int = 101) -> float:
    return learning_rate(step, n_steps, highest=2.0, schedule="one_cycle")


def test_a_constant_rate_stays() -> None:
    rates = {learning_rate(step, 9, highest=0.3, schedule="constant") for step in range(9)}
    assert rates == {0.3}


def test_one_cycle_starts_at_a_25th_and_ends_at_a_ten_thousandth() -> None:
    assert one_cycle(0) == pytest.approx(2 / 25)
    assert one_cycle(100) == pytest.approx(2e-4)


def test_one_cycle_peaks_after_three_tenths() -> None:
    rates = [one_cycle(step, 100) for step in range(100)]
    assert max(rates) == rates[30] == 2.0
    assert rates[:31] == sorted(rates[:31])
    assert rates[30:] == sorted(rates[30:], reverse=True)


def test_half_way_up_and_down_is_the_middle() -> None:
    assert one_cycle(15, 100) == pytest.approx((2 / 25 + 2) / 2)
    # 30 steps up, then 70 steps down to the last one, number 100.
    assert learning_rate(65, 101, highest=2.0, schedule="one_cycle") == pytest.approx(
        1.0001 + 0.9999 * math.cos(math.pi * (65 - 30.3) / (100 - 30.3))
    )


@pytest.mark.parametrize("n_steps", [1, 2, 3])
def test_the_shortest_runs_have_a_positive_rate(n_steps: int) -> None:
    assert all(0 < one_cycle(step, n_steps) <= 2 for step in range(n_steps))


def test_a_cosine_goes_down_from_the_first_step_to_the_last() -> None:
    rates = [learning_rate(step, 11, highest=2.0, schedule="cosine") for step in range(11)]
    assert rates[0] == 2.0
    assert rates[5] == pytest.approx((2 + 2e-4) / 2)
    assert rates[10] == pytest.approx(2e-4)
    assert rates == sorted(rates, reverse=True)


@pytest.mark.parametrize("schedule", ["constant", "one_cycle", "cosine"])
def test_a_warm_up_rises_in_a_line_to_what_the_schedule_says(schedule: str) -> None:
    def rate(step: int, warm_up: float) -> float:
        return learning_rate(step, 100, highest=2.0, schedule=schedule, warm_up=warm_up)

    shares = [rate(step, 0.2) / rate(step, 0.0) for step in range(100)]
    assert shares[:20] == pytest.approx([(step + 1) / 21 for step in range(20)])
    assert shares[20:] == [1.0] * 80
