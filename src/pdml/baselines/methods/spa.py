"""SPA: the part of SSRN (Zhong et al., 2018) that looks at neighbours, alone.

Exact: a 3 x 3 convolution over all bands and the residual blocks in the plane. Its own protocol is
that of SSRN.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, NetworkMethod
from pdml.baselines.methods.ssrn import PROTOCOL


@METHODS.register
def spa() -> NetworkMethod:
    """The declaration."""
    return NetworkMethod(
        title="SPA, the spatial part of SSRN alone",
        article="Zhong, Li, Luo and Chapman, IEEE TGRS 56(2), 2018",
        status="exact",
        ours="nothing",
        label="SPA",
        inputs={"patch_size": 7},
        layers={"backbone": "spa", "backbone_options": {"padding": "collapsed"}},
        protocol=PROTOCOL,
        under_pdml={"backbone": "spa"},
    )
