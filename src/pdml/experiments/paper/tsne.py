"""t-SNE of the embeddings of test pixels before and after training."""

from __future__ import annotations

from pdml.experiments.experiment import EXPERIMENTS, Experiment, Variant


@EXPERIMENTS.register
def tsne() -> Experiment:
    """The declaration."""
    return Experiment(
        name="tsne",
        title="embeddings before and after training",
        source="fig:tsne",
        variants=(Variant("PDML"),),
        shows="embedding",
        keeps="embedding",
    )
