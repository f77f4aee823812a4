"""Timings, ratios and memory on work of known size."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from pdml.benchmarks.measure import Candidate, Timing, alternate
from pdml.benchmarks.memory import peak_extra_megabytes
from pdml.benchmarks.result import BenchResult, Claim
from pdml.benchmarks.steps import make_inputs, pair_loss_gflop, paper_recipe, step_gflop


def test_candidates_take_turns() -> None:
    order: list[str] = []
    alternate({name: Candidate(partial(order.append, name)) for name in "ab"}, rounds=3)
    assert order == list("ab" * 4)  # once unmeasured


def test_slow_candidates_sit_out() -> None:
    timings = alternate({"slow": Candidate(lambda: None, every=3)}, rounds=6)
    assert len(timings["slow"].seconds) == 2


def test_a_round_is_divided_by_its_repeats() -> None:
    timings = alternate({"nap": Candidate(lambda: time.sleep(0.02), repeats=5)}, rounds=3)
    assert 0.02 <= timings["nap"].median < 0.1


def test_median_spread_and_rate_by_hand() -> None:
    timing = Timing((1.0, 2.0, 3.0, 4.0, 5.0), gflop=6.0)
    assert timing.median == 3.0
    assert timing.spread == pytest.approx(2 / 3)
    assert timing.gflops == 2.0


@pytest.mark.parametrize(
    ("claim", "holds", "aim"),
    [
        (Claim("x", 1.0, at_most=1.2), True, "at most 1.2"),
        (Claim("x", 1.3, at_most=1.2), False, "at most 1.2"),
        (Claim("x", 14.0, at_least=15), False, "at least 15"),
        (Claim("x", 1.0), True, ""),
    ],
)
def test_a_claim_is_held_against_its_aim(claim: Claim, holds: bool, aim: str) -> None:
    assert (claim.holds, claim.aim) == (holds, aim)


def test_a_result_is_plain_values() -> None:
    result = BenchResult("loss", {"a": Timing((1.0,), 2.0)}, [Claim("x", 1.0)], {"a": 3.0})
    stored = result.to_dict()
    assert stored["timings"]["a"]["gflops"] == 2.0
    assert stored["memory_mb"] == {"a": 3.0}
    assert stored["machine"]["threads"] >= 1


def forty_megabytes() -> Callable[[], object]:
    return lambda: np.ones(5_000_000).sum()


def test_peak_memory_sees_what_was_freed_again() -> None:
    assert 35 < peak_extra_megabytes(forty_megabytes) < 60


def test_the_work_of_a_step_is_that_of_its_layers() -> None:
    """SSRN at 200 bands by hand: multiplications and additions, forward and twice backward."""
    pixels, positions = 16 * 25, 97
    spectral = 4 * positions * 24 * 24 * 7 + positions * 24 * 128
    spatial = 128 * 24 * 9 + 4 * 24 * 24 * 9
    first = positions * 24 * 7  # its input needs no gradient
    by_hand = 2 * pixels * (3 * (spectral + spatial) + 2 * first) / 1e9
    counted = step_gflop(make_inputs(16), paper_recipe(plain_network=True))
    assert counted == pytest.approx(by_hand, rel=0.01)


def test_the_work_of_the_pair_loss_grows_with_the_square() -> None:
    assert pair_loss_gflop(200, 3, 64) == pytest.approx(4 * pair_loss_gflop(100, 3, 64))
