"""MSDN-SA after Fang et al. (2019): a mixed-scale dense network with spectral attention.

A reconstruction from the abstract, smaller than it could be so that a CPU can train it: every
fourth band position and six layers. The protocol is ours.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, NetworkMethod
from pdml.baselines.methods.mcnn import ADAM


@METHODS.register
def msdn_sa() -> NetworkMethod:
    """The declaration."""
    return NetworkMethod(
        title="MSDN-SA, densely connected 3-D convolutions of several dilations",
        article="Fang, Li, Zhang and Chan, Remote Sensing 11(2) 159, 2019",
        status="reconstruction",
        ours="all sizes and the protocol",
        column="MSDNSA",
        label="MSDN-SA",
        inputs={"patch_size": 7},
        layers={"backbone": "msdn_sa"},
        protocol=ADAM,
        under_pdml={"backbone": "msdn_sa"},
    )
