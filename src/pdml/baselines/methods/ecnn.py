"""ECNN after Aptoula et al. (2016): a 2-D network on attribute profiles.

A reconstruction: profiles of area and moment of inertia of four principal components in front of
three convolutions; sizes and protocol are ours.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, NetworkMethod


@METHODS.register
def ecnn() -> NetworkMethod:
    """The declaration."""
    return NetworkMethod(
        title="ECNN, a 2-D network on attribute profiles",
        article="Aptoula, Ozdemir and Yanikoglu, IEEE GRSL 13(12), 2016",
        status="reconstruction",
        ours="sizes of the layers and the protocol",
        column="ECNN",
        inputs={
            "patch_size": 9,
            "features": "profiles",
            "feature_options": {"standard_deviation": [], "diagonal": []},
        },
        layers={"backbone": "ecnn", "backbone_options": {"padding": "collapsed"}},
        protocol={"optimiser": "sgd", "learning_rate": 1e-3, "batch_size": 32, "epochs": 100},
        under_pdml={"backbone": "ecnn", "head_kernel": 1},
    )
