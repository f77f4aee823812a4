"""Four networks, each alone and under PDML.

Alone, HNet and LNet are as published: they wear a patch down to one pixel. Under PDML they keep its
size, or there would be no laps. DFFN sees the patches of its article, alone and under PDML.
"""

from __future__ import annotations

from collections.abc import Mapping

from pdml.baselines.method import PLAIN
from pdml.experiments.experiment import EXPERIMENTS, Claim, Experiment, Variant

_COLLAPSED = {"padding": "collapsed"}

# As its article has it: few components of large patches, whose map of 7 x 7 has a centre pixel. A
# patch of the paper's 5 x 5 pixels would leave a map of 2 x 2, which has neither centre nor laps.
_DFFN_INPUTS = {"patch_size": 25, "n_components": 3}

# The paper's name: the registered one, the options of the network alone, and its own inputs.
_NETWORKS: dict[str, tuple[str, Mapping[str, str], Mapping[str, int]]] = {
    "HNet": ("hamida", _COLLAPSED, {}),
    "LNet": ("li", _COLLAPSED, {}),
    "DFFN": ("dffn", {}, _DFFN_INPUTS),
}


@EXPERIMENTS.register
def architectures() -> Experiment:
    """The declaration."""
    variants = []
    for name, (backbone, alone, inputs) in _NETWORKS.items():
        plain = {**PLAIN, **inputs, "backbone": backbone, "backbone_options": alone}
        # The two convolutions of the head stand for a layer on single features, hence 1 x 1.
        ours = {**inputs, "backbone": backbone, "backbone_options": {}, "head_kernel": 1}
        variants += [Variant(name, plain), Variant(f"P-{name}", ours)]
    return Experiment(
        name="architectures",
        title="networks alone and under PDML (P-)",
        source="tab:implementation",
        variants=(*variants, Variant("SSRN", PLAIN), Variant("P-SSRN")),
        claims=tuple(Claim(f"P-{name}", name) for name in [*_NETWORKS, "SSRN"]),
    )
