"""SSRN and PDML with 1 % and 5 % of the labelled pixels to train."""

from __future__ import annotations

from pdml.baselines.method import PLAIN
from pdml.experiments.experiment import EXPERIMENTS, Claim, Experiment, Variant

_SHARES = {"1 %": 0.01, "5 %": 0.05}


@EXPERIMENTS.register
def samples() -> Experiment:
    """The declaration."""
    methods = {"SSRN": PLAIN, "PDML": {}}
    return Experiment(
        name="samples",
        title="few training samples",
        source="fig:sample",
        variants=tuple(
            Variant(f"{method}, {at}", changes, train_share=share, series=method, at=at)
            for at, share in _SHARES.items()
            for method, changes in methods.items()
        ),
        claims=tuple(Claim(f"PDML, {at}", f"SSRN, {at}") for at in _SHARES),
        shows="curve",
        axis="share of the labelled pixels that trains",
    )
