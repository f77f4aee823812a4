"""SSRN of Zhong et al. (2018): residual blocks along the bands, then in the plane.

Exact: blocks, widths, padding and the number of weights of the article. Its own protocol: patches
of 7 x 7 pixels, RMSProp at 3e-4, batches of 16, 200 epochs, the best on validation pixels, the
squared kernels with 1e-4 in the loss as in the authors' code. PDML stands on this network.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, NetworkMethod

SEVEN = {"patch_size": 7, "backbone_options": {"padding": "collapsed"}}
PROTOCOL = {
    "optimiser": "rmsprop", "learning_rate": 3e-4, "batch_size": 16, "epochs": 200,
    "kernel_l2": 1e-4,
}  # fmt: skip


@METHODS.register
def ssrn() -> NetworkMethod:
    """The declaration."""
    return NetworkMethod(
        title="SSRN, residual blocks along the bands and then in the plane",
        article="Zhong, Li, Luo and Chapman, IEEE TGRS 56(2), 2018",
        status="exact",
        ours="on one protocol with all others it sees the patches of the recipe",
        column="SSRN",
        layers={"backbone": "ssrn"},
        protocol={**SEVEN, **PROTOCOL},
        under_pdml={"backbone": "ssrn"},
    )
