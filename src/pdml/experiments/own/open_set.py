"""Unknown material: every class in turn is left out of the training, and has to be noticed."""

from __future__ import annotations

from pdml.baselines.method import PLAIN
from pdml.experiments.experiment import EXPERIMENTS, Experiment, Variant


@EXPERIMENTS.register
def open_set() -> Experiment:
    """The declaration."""
    return Experiment(
        name="open_set",
        title="finding a class that was left out",
        source="",
        variants=(Variant("SSRN", PLAIN), Variant("PDML")),
        shows="unknown",
        leaves_out=True,
    )
