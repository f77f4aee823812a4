"""Six losses in the embedding space, everything else unchanged."""

from __future__ import annotations

from pdml.experiments.experiment import EXPERIMENTS, Claim, Experiment, Variant

_OURS = "P. Contrastive"


@EXPERIMENTS.register
def losses() -> Experiment:
    """The declaration."""
    variants = (
        Variant(_OURS, {"metric": "probabilistic_contrastive"}),
        _with("Contrastive", "contrastive"),
        _with("Triplet-R", "triplet", sampling="random"),
        _with("Triplet-SH", "triplet", sampling="semihard"),
        _with("Npair", "n_pair"),
        _with("Softmax", "softmax"),
    )
    return Experiment(
        name="losses",
        title="losses in the embedding space",
        source="tab:loss",
        variants=variants,
        claims=tuple(Claim(_OURS, other.name) for other in variants[1:]),
    )


def _with(name: str, metric: str, **options: str) -> Variant:
    return Variant(name, {"metric": metric, "metric_options": options})
