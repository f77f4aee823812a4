"""The main results: PDML, the plain SSRN, and on request every method that the paper quotes.

The paper's tables on Indian Pines, Pavia University, KSC and Houston 2013.
"""

from __future__ import annotations

from pdml.baselines.method import PLAIN
from pdml.experiments.compared_methods import method_variants
from pdml.experiments.experiment import EXPERIMENTS, Claim, Experiment, Variant


@EXPERIMENTS.register
def results() -> Experiment:
    """The declaration."""
    variants = (*method_variants(), Variant("SSRN", PLAIN), Variant("PDML"))
    return Experiment(
        name="results",
        title="classification results",
        source="tab:IN_result, tab:UP_result, tab:KSC_result, tab:Hou_result",
        variants=variants,
        claims=tuple(Claim("PDML", other.name) for other in variants[:-1]),
        shows="methods",
        keeps="map",
    )
