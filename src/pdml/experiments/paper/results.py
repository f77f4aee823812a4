"""The main results: PDML and the plain SSRN, beside the methods that the paper quotes.

The paper's tables on Indian Pines, Pavia University, KSC and Houston 2013.
"""

from __future__ import annotations

from pdml.baselines.method import PLAIN
from pdml.experiments.experiment import EXPERIMENTS, Claim, Experiment, Variant


@EXPERIMENTS.register
def results() -> Experiment:
    """The declaration."""
    return Experiment(
        name="results",
        title="classification results",
        source="tab:IN_result, tab:UP_result, tab:KSC_result, tab:Hou_result",
        variants=(Variant("SSRN", PLAIN), Variant("PDML")),
        claims=(Claim("PDML", "SSRN"),),
        shows="methods",
    )
