"""CASSN after Yang et al. (2022): cross attention along the bands and across the patch.

A reconstruction from the abstract: the centre and the mean of the patch weigh the bands, features
are those of spectra alone, and the centre asks all pixels. The protocol is ours.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, NetworkMethod
from pdml.baselines.methods.mcnn import ADAM


@METHODS.register
def cassn() -> NetworkMethod:
    """The declaration."""
    return NetworkMethod(
        title="CASSN, cross attention without convolutions over neighbours",
        article="Yang, Sun, Zou and Lu, IEEE TGRS 60, 2022",
        status="reconstruction",
        ours="all sizes and the protocol",
        column="CASSN",
        inputs={"patch_size": 9},
        layers={"backbone": "cassn", "backbone_options": {"padding": "collapsed"}},
        protocol=ADAM,
        under_pdml={"backbone": "cassn"},
    )
