"""PDML with 1, 5, 10 and 20 % of the labelled pixels to train."""

from __future__ import annotations

from itertools import pairwise

from pdml.experiments.experiment import EXPERIMENTS, Claim, Experiment, Variant

_SHARES = {"1 %": 0.01, "5 %": 0.05, "10 %": 0.1, "20 %": 0.2}


@EXPERIMENTS.register
def proportions() -> Experiment:
    """The declaration."""
    return Experiment(
        name="proportions",
        title="proportions of training samples",
        source="fig:training_proportions",
        variants=tuple(
            Variant(at, train_share=share, series="PDML", at=at) for at, share in _SHARES.items()
        ),
        claims=tuple(Claim(more, fewer) for fewer, more in pairwise(_SHARES)),
        shows="curve",
        axis="share of the labelled pixels that trains",
    )
