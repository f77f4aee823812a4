"""Four networks, each alone and under PDML."""

from __future__ import annotations

from pdml.experiments.experiment import EXPERIMENTS, PLAIN, Claim, Experiment, Variant

# As the paper calls them, and as they are registered.
_NETWORKS = {"HNet": "hamida", "LNet": "li", "DFFN": "dffn"}


@EXPERIMENTS.register
def architectures() -> Experiment:
    """The declaration."""
    variants = []
    for name, backbone in _NETWORKS.items():
        network = {"backbone": backbone, "backbone_options": {}}
        variants += [Variant(name, {**network, **PLAIN}), Variant(f"P-{name}", network)]
    return Experiment(
        name="architectures",
        title="networks alone and under PDML (P-)",
        source="tab:implementation",
        variants=(*variants, Variant("SSRN", PLAIN), Variant("P-SSRN")),
        claims=tuple(Claim(f"P-{name}", name) for name in [*_NETWORKS, "SSRN"]),
    )
