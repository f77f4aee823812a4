"""SSRN as its authors released it: half as many residual blocks as in their article.

Exact: the layers of the released code, with a 1 x 1 convolution beside the block in the plane and a
second normalisation. Its own protocol is that of `ssrn`.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, NetworkMethod
from pdml.baselines.methods.ssrn import PROTOCOL, SEVEN

RELEASED = {"variant": "released"}


@METHODS.register
def ssrn_released() -> NetworkMethod:
    """The declaration."""
    return NetworkMethod(
        title="SSRN as in its authors' code, with half the blocks",
        article="Zhong, Li, Luo and Chapman, IEEE TGRS 56(2), 2018; the released code",
        status="exact",
        ours="on one protocol with all others it sees the patches of the recipe",
        label="SSRN, released",
        layers={"backbone": "ssrn", "backbone_options": RELEASED},
        protocol={
            **SEVEN,
            **PROTOCOL,
            "backbone_options": {**RELEASED, "padding": "collapsed"},
        },
        under_pdml={"backbone": "ssrn", "backbone_options": RELEASED},
    )
