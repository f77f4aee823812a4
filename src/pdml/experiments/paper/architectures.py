"""Four networks, each alone and under PDML.

Alone, HNet and LNet are as published: they wear a patch down to one pixel. Under PDML they keep its
size, or there would be no laps.
"""

from __future__ import annotations

from collections.abc import Mapping

from pdml.baselines.method import PLAIN
from pdml.experiments.experiment import EXPERIMENTS, Claim, Experiment, Variant

_COLLAPSED = {"padding": "collapsed"}

# The paper's name: the registered one, and the options of the network alone.
_NETWORKS: dict[str, tuple[str, Mapping[str, str]]] = {
    "HNet": ("hamida", _COLLAPSED),
    "LNet": ("li", _COLLAPSED),
    "DFFN": ("dffn", {}),
}


@EXPERIMENTS.register
def architectures() -> Experiment:
    """The declaration."""
    variants = []
    for name, (backbone, alone) in _NETWORKS.items():
        plain = {**PLAIN, "backbone": backbone, "backbone_options": alone}
        ours = {"backbone": backbone, "backbone_options": {}}
        variants += [Variant(name, plain), Variant(f"P-{name}", ours)]
    return Experiment(
        name="architectures",
        title="networks alone and under PDML (P-)",
        source="tab:implementation",
        variants=(*variants, Variant("SSRN", PLAIN), Variant("P-SSRN")),
        claims=tuple(Claim(f"P-{name}", name) for name in [*_NETWORKS, "SSRN"]),
    )
