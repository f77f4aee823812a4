"""SAE of Chen et al. (2014): a stacked autoencoder on a spectrum and the components around it.

Exact: the joint network of the co-author's code, 310 and 100 units with tied weights, on the bands
and four components of 7 x 7 pixels. Pre-training and training by Adam in fewer epochs are ours: the
authors have 2000 epochs of gradient descent per layer and 10 000 for the whole.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, NetworkMethod


@METHODS.register
def sae() -> NetworkMethod:
    """The declaration."""
    return NetworkMethod(
        title="SAE, a stacked autoencoder on the spectrum and the components around it",
        article="Chen, Lin, Zhao, Wang and Gu, IEEE JSTARS 7(6), 2014",
        status="exact",
        ours="Adam in 200 epochs per layer and 200 for the whole instead of gradient descent",
        column="SAE",
        inputs={"patch_size": 7, "features": "bands_and_components"},
        layers={"backbone": "sae", "backbone_options": {"padding": "collapsed"}, "dropout": 0.0},
        protocol={
            "optimiser": "adamw", "learning_rate": 1e-3, "batch_size": 100, "epochs": 200,
        },
        under_pdml={"backbone": "sae"},
    )  # fmt: skip
