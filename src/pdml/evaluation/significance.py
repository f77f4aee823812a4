"""Is one method better than another? A paired test over seeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.stats import wilcoxon

from pdml.errors import InvalidInputError

FEWEST_PAIRS = 6
"""With five pairs the smallest two-sided p of the signed-rank test is 2 / 2^5 = 0.0625."""
LEVEL = 0.05


@dataclass(frozen=True)
class PairedTest:
    """Two methods compared seed by seed.

    Attributes:
        n_pairs: Seeds that both have.
        mean_difference: Mean of the differences, in the unit of the scores.
        p: Two-sided p of Wilcoxon's signed-rank test; None below `FEWEST_PAIRS` pairs.
    """

    n_pairs: int
    mean_difference: float
    p: float | None

    @property
    def verdict(self) -> str:
        """What the test says of "the first is better than the second"."""
        if self.p is None:
            return "too few seeds"
        if self.p >= LEVEL:
            return "not shown"
        return "holds" if self.mean_difference > 0 else "the opposite holds"


def paired_test(better: Float[np.ndarray, " n"], worse: Float[np.ndarray, " n"]) -> PairedTest:
    """Compares scores of the same seeds.

    Args:
        better: Scores of the method that is said to be better.
        worse: Scores of the other one with the same seeds.

    Raises:
        InvalidInputError: If there are not as many of one as of the other, or none.
    """
    if better.shape != worse.shape or better.ndim != 1 or not len(better):
        raise InvalidInputError(
            "a paired test needs the scores of both methods for the same seeds, got shapes "
            f"{better.shape} and {worse.shape}; leave out seeds that only one has"
        )
    difference = better - worse
    mean = float(difference.mean())
    if len(difference) < FEWEST_PAIRS:
        return PairedTest(len(difference), mean, None)
    p = 1.0 if not difference.any() else float(wilcoxon(difference).pvalue)
    return PairedTest(len(difference), mean, p)
