"""3-D CNN after Chen et al. (2016) on 7 x 7 pixels, as the authors of SSRN compared with it.

Exact: it is SPA without its shortcuts. Its own protocol is that of SSRN, under which it was
compared. `cnn3d_27` is the network that the field calls by the same name.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, NetworkMethod
from pdml.baselines.methods.ssrn import PROTOCOL


@METHODS.register
def cnn3d() -> NetworkMethod:
    """The declaration."""
    return NetworkMethod(
        title="3D-CNN on 7 x 7 pixels, SPA without its shortcuts",
        article="Zhong, Li, Luo and Chapman, IEEE TGRS 56(2), 2018, after Chen et al., 2016",
        status="exact",
        ours="nothing",
        column="3D-CNN",
        inputs={"patch_size": 7},
        layers={
            "backbone": "cnn3d",
            "backbone_options": {"variant": "chen7", "padding": "collapsed"},
        },
        protocol=PROTOCOL,
        under_pdml={"backbone": "cnn3d", "backbone_options": {"variant": "chen7"}},
    )
