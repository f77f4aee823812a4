"""RIAN of Zheng et al. (2022): attention that does not mind how a patch is turned.

Exact: the layers of the authors' code, but for the normalisation of logits that it has; bands are
standardised, not brought to 0 to 1. Its own protocol: 9 x 9 pixels, Adam at 0.01, batches of 100,
200 epochs. The authors halve the rate every 20 epochs; here it falls along a cosine.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, NetworkMethod


@METHODS.register
def rian() -> NetworkMethod:
    """The declaration."""
    return NetworkMethod(
        title="RIAN, rotation-invariant attention without convolutions over neighbours",
        article="Zheng, Sun, Lu and Xie, IEEE TIP 31, 2022",
        status="exact",
        ours="bands are standardised, and the learning rate falls along a cosine",
        column="RIAN",
        inputs={"patch_size": 9},
        layers={"backbone": "rian", "dropout": 0.0},
        protocol={
            "optimiser": "adamw", "learning_rate": 0.01, "schedule": "cosine", "batch_size": 100,
            "epochs": 200,
        },
        under_pdml={"backbone": "rian"},
    )  # fmt: skip
