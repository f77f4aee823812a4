"""SSAtt of Hang et al. (2020): two attention-aided networks side by side.

Exact: the layers. The article trains a classifier behind each of six attentions; here the sum of
the last two is trained, as in later code. Its own protocol: 9 x 9 pixels and Adam at 1e-3; batches
and epochs are ours.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, NetworkMethod
from pdml.baselines.methods.mcnn import ADAM


@METHODS.register
def ssatt() -> NetworkMethod:
    """The declaration."""
    return NetworkMethod(
        title="SSAtt, a network that weighs channels beside one that weighs pixels",
        article="Hang, Li, Liu, Ghamisi and Bhattacharyya, IEEE TGRS 59(3), 2020",
        status="exact",
        ours="only the sum of both networks is trained; batches and epochs of its own protocol",
        column="SSAtt",
        inputs={"patch_size": 9},
        layers={"backbone": "ssatt", "backbone_options": {"padding": "collapsed"}},
        protocol=ADAM,
        under_pdml={"backbone": "ssatt"},
    )
