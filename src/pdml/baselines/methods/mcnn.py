"""MCNN after Li et al. (2019): mapping layers in front of a few 3-D convolutions.

A reconstruction from the abstract: the patch is mapped along rows, columns and bands by matrices
that start as its leading singular vectors; all sizes are ours, and so is the protocol. A patch
becomes one pixel, so PDML cannot stand on it.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, NetworkMethod

ADAM = {"optimiser": "adamw", "learning_rate": 1e-3, "batch_size": 32, "epochs": 100}


@METHODS.register
def mcnn() -> NetworkMethod:
    """The declaration."""
    return NetworkMethod(
        title="MCNN, mapping layers and 3-D convolutions",
        article="Li et al., IEEE TGRS 58, 2019",
        status="reconstruction",
        ours="all sizes and the protocol",
        column="MCNN",
        inputs={"patch_size": 11},
        layers={"backbone": "mcnn"},
        protocol=ADAM,
    )
