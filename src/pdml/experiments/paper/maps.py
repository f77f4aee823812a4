"""Classification maps of the whole scene by SSRN and PDML."""

from __future__ import annotations

from pdml.baselines.method import PLAIN
from pdml.experiments.experiment import EXPERIMENTS, Claim, Experiment, Variant


@EXPERIMENTS.register
def maps() -> Experiment:
    """The declaration."""
    return Experiment(
        name="maps",
        title="classification maps",
        source=(
            "fig:IN_classification_map, fig:UP_classification_map, fig:KSC_classification_map, "
            "fig:Hou_classification_map"
        ),
        variants=(Variant("SSRN", PLAIN), Variant("PDML")),
        claims=(Claim("PDML", "SSRN"),),
        shows="maps",
        keeps="map",
    )
