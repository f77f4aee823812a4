"""CNN of Makantasis et al. (2015): two convolutions on principal components.

Exact: the layers, on 30 components of Indian Pines. The article has 10 for Pavia University:
`--set n_components=10`. ReLU is ours. Its own protocol: 5 x 5 pixels and gradient descent; rate,
batches and number of epochs are ours, as re-implementations differ.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, NetworkMethod


@METHODS.register
def cnn2d() -> NetworkMethod:
    """The declaration."""
    return NetworkMethod(
        title="CNN, two 2-D convolutions on 30 principal components",
        article="Makantasis, Karantzalos, Doulamis and Doulamis, IGARSS 2015",
        status="exact",
        ours="ReLU; learning rate, batches and epochs of its own protocol",
        column="CNN",
        inputs={"patch_size": 5, "n_components": 30},
        layers={"backbone": "cnn2d", "backbone_options": {"padding": "collapsed"}, "dropout": 0.0},
        protocol={"optimiser": "sgd", "learning_rate": 0.01, "batch_size": 32, "epochs": 100},
        under_pdml={"backbone": "cnn2d", "head_kernel": 1},
    )
