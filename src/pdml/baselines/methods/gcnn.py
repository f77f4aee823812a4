"""GCNN after Chen et al. (2017): a 2-D network on Gabor filters.

A reconstruction: what Gabor filters of four directions find in a few principal components, in front
of three convolutions; wavelengths, sizes and protocol are ours.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, NetworkMethod


@METHODS.register
def gcnn() -> NetworkMethod:
    """The declaration."""
    return NetworkMethod(
        title="GCNN, a 2-D network on Gabor filters",
        article="Chen, Zhu, Ghamisi, Jia, Li and Tang, IEEE GRSL 14(12), 2017",
        status="reconstruction",
        ours="wavelengths, sizes of the layers and the protocol",
        column="GCNN",
        inputs={"patch_size": 27, "features": "gabor"},
        layers={"backbone": "gcnn", "backbone_options": {"padding": "collapsed"}},
        protocol={"optimiser": "sgd", "learning_rate": 0.01, "batch_size": 100, "epochs": 100},
        under_pdml={"backbone": "gcnn", "head_kernel": 1},
    )
