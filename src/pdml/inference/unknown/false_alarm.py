"""The threshold that a given share of known pixels passes: split conformal prediction."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from pdml.errors import InvalidInputError

USUAL_FALSE_ALARM = 0.05
"""The share of known pixels that may be taken for unknown, if nobody says another one."""


def threshold_for(held_out: Float[np.ndarray, " n"], false_alarm: float) -> float:
    """The score above which a pixel is unknown.

    The k-th smallest score of pixels that were not trained on, k = ceil((n + 1) (1 - rate)). A new
    pixel of the same kind then passes it with a probability of at most `false_alarm`, whatever the
    distribution of the scores: V. Vovk, A. Gammerman, G. Shafer, "Algorithmic learning in a random
    world", 2005.

    Args:
        held_out: Scores of such pixels, in any order.
        false_alarm: Share of known pixels that may be taken for unknown.

    Raises:
        InvalidInputError: If that is no rate, or there are too few pixels for one so small.
    """
    if not 0 < false_alarm < 1:
        raise InvalidInputError(
            f"--false-alarm must be between 0 and 1, got {false_alarm:g}; 0.05 takes one known "
            "pixel in twenty for unknown"
        )
    n = len(held_out)
    if not n:
        raise InvalidInputError(
            "--reject needs a threshold, which is fitted on validation pixels, and this model was "
            "trained without any; train again with --validation 0.1, or leave out --reject"
        )
    rank = math.ceil((n + 1) * (1 - false_alarm) - 1e-9)  # 0.9 * 10 may be 9.000000000000002
    if rank > n:
        raise InvalidInputError(
            f"--false-alarm {false_alarm:g} needs at least {math.ceil(1 / false_alarm - 1e-9) - 1} "
            f"validation pixels, this model had {n}; allow more false alarms, or train with more "
            "validation pixels"
        )
    return float(np.sort(held_out)[rank - 1])
