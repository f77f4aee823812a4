"""Measuring things alternately in one run, so that a noisy machine is noisy to all alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import torch

GEMM_SIDE = 1024


@dataclass(frozen=True)
class Timing:
    """Seconds of one thing over several rounds.

    Attributes:
        seconds: One value per round.
        gflop: Work of one repetition in 10^9 floating-point operations, where it is known.
    """

    seconds: tuple[float, ...]
    gflop: float | None = None

    @property
    def median(self) -> float:
        """Median of the rounds."""
        return float(np.median(self.seconds))

    @property
    def spread(self) -> float:
        """Distance between the quartiles as a share of the median."""
        low, high = np.percentile(self.seconds, [25, 75])
        return float((high - low) / self.median)

    @property
    def gflops(self) -> float | None:
        """10^9 operations per second at the median."""
        return None if self.gflop is None else self.gflop / self.median


@dataclass(frozen=True)
class Candidate:
    """Something to be measured.

    Attributes:
        work: Does it once.
        gflop: Its work in 10^9 operations, where it is known.
        repeats: How often it is done in a round; the round's time is divided by it.
        every: It takes part in every so many rounds; slow things are measured less often.
    """

    work: Callable[[], object]
    gflop: float | None = None
    repeats: int = 1
    every: int = 1


def alternate(
    candidates: Mapping[str, Candidate],
    *,
    rounds: int,
    on_round: Callable[[int, int], None] | None = None,
) -> dict[str, Timing]:
    """Measures all candidates in turn, round by round, after doing each of them once unmeasured.

    Args:
        candidates: What to measure, by name.
        rounds: How many times.
        on_round: Called with the rounds that are done and all of them.
    """
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for candidate in candidates.values():
        candidate.work()
    for number in range(rounds):
        for name, candidate in candidates.items():
            if number % candidate.every:
                continue
            start = perf_counter()
            for _ in range(candidate.repeats):
                candidate.work()
            seconds[name].append((perf_counter() - start) / candidate.repeats)
        if on_round:
            on_round(number + 1, rounds)
    return {
        name: Timing(tuple(seconds[name]), candidate.gflop)
        for name, candidate in candidates.items()
    }


def gemm(dtype: torch.dtype) -> Candidate:
    """A square matrix product, the measure of what the processor can do."""
    matrix = torch.ones(GEMM_SIDE, GEMM_SIDE, dtype=dtype)
    return Candidate(lambda: matrix @ matrix, gflop=2 * GEMM_SIDE**3 / 1e9, repeats=5)
