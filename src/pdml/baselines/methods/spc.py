"""SPC: the part of SSRN (Zhong et al., 2018) that looks at one spectrum, alone.

Exact: the layers. Not stated by the article: whether its 128 features are pooled over the patch
before the last layer; here they are. Its own protocol is that of SSRN.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, NetworkMethod
from pdml.baselines.methods.ssrn import PROTOCOL


@METHODS.register
def spc() -> NetworkMethod:
    """The declaration."""
    return NetworkMethod(
        title="SPC, the spectral part of SSRN alone",
        article="Zhong, Li, Luo and Chapman, IEEE TGRS 56(2), 2018",
        status="exact",
        ours="features are averaged over the patch, of which the article says nothing",
        column="SPC",
        inputs={"patch_size": 7},
        layers={"backbone": "spc"},
        protocol=PROTOCOL,
        under_pdml={"backbone": "spc"},
    )
