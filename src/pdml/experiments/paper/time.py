"""Seconds of one epoch of training and of classifying all test pixels."""

from __future__ import annotations

from pdml.baselines.method import PLAIN
from pdml.experiments.experiment import EXPERIMENTS, Experiment, Variant


@EXPERIMENTS.register
def time() -> Experiment:
    """The declaration."""
    return Experiment(
        name="time",
        title="computation time of one epoch of training and of all test pixels",
        source="tab:time",
        variants=(Variant("SSRN", PLAIN), Variant("PDML")),
        shows="time",
    )
