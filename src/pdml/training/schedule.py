"""Learning rates as pure functions of the step, so that a resumed run needs no scheduler state."""

from __future__ import annotations

import math

WARM_UP_SHARE = 0.3
START_DIVISOR = 25.0
END_DIVISOR = 1e4


def learning_rate(
    step: int, n_steps: int, *, highest: float, schedule: str, warm_up: float = 0.0
) -> float:
    """The learning rate of a step.

    Args:
        step: Number of the step, from 0.
        n_steps: Steps of the whole run.
        highest: The recipe's learning rate.
        schedule: `"constant"`, or `"one_cycle"`: a cosine from a 25th up to the highest rate over
            the first three tenths of the run, and a cosine down to nearly nothing; `"cosine"`: that
            way down alone, over the whole run.
        warm_up: Share of the run over which the rate rises in a line from nothing to what the
            schedule says.
    """
    rising = (step + 1) / (warm_up * n_steps + 1) if warm_up > 0 else 1.0
    return min(1.0, rising) * _scheduled(step, n_steps, highest, schedule)


def _scheduled(step: int, n_steps: int, highest: float, schedule: str) -> float:
    if schedule == "constant":
        return highest
    if schedule == "cosine":
        return _cosine(highest, highest / END_DIVISOR, step / max(1, n_steps - 1))
    peak = WARM_UP_SHARE * n_steps
    if step < peak:
        return _cosine(highest / START_DIVISOR, highest, step / peak)
    return _cosine(highest, highest / END_DIVISOR, (step - peak) / max(1.0, n_steps - 1 - peak))


def _cosine(start: float, end: float, share: float) -> float:
    return end + (start - end) * (1 + math.cos(math.pi * min(1.0, share))) / 2
