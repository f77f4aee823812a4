"""3-D CNN after Chen et al. (2016) on 27 x 27 pixels, in the geometry that the field compares with.

A reconstruction: the article has other numbers of filters for each scene. Its own protocol is that
of re-implementations: gradient descent at 3e-3, batches of 100, 400 epochs. It wants a GPU. A patch
becomes one pixel, so PDML cannot stand on it.
"""

from __future__ import annotations

from pdml.baselines.method import METHODS, NetworkMethod


@METHODS.register
def cnn3d_27() -> NetworkMethod:
    """The declaration."""
    return NetworkMethod(
        title="3D-CNN on 27 x 27 pixels, three convolutions over 32 bands",
        article="Chen, Jiang, Li, Jia and Ghamisi, IEEE TGRS 54(10), 2016",
        status="reconstruction",
        ours="numbers of filters, as in the code that the field compares with",
        label="3D-CNN, 27 \N{MULTIPLICATION SIGN} 27",
        inputs={"patch_size": 27},
        layers={"backbone": "cnn3d", "backbone_options": {"variant": "chen27"}},
        protocol={"optimiser": "sgd", "learning_rate": 3e-3, "batch_size": 100, "epochs": 400},
    )
