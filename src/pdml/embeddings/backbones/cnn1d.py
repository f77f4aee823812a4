"""A 1-D convolutional network over the bands of a pixel, after Hu et al. (2015).

One convolution along the bands, pooling, one full layer, with tanh. It sees no neighbours: the
whole network is the spectral stage. Kernel and pooling grow with the number of bands, which gives
the article's 24 and 5 for 220 bands and 11 and 3 for 103.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import max_pool1d

from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.errors import InvalidInputError

FEWEST_BANDS = 9


def kernel_and_pool(n_bands: int) -> tuple[int, int]:
    """Length of the kernel and of a pool: a ninth of the bands, and a fifth of that, rounded up."""
    kernel = n_bands // 9
    return kernel, -(-kernel // 5)


@BACKBONES.register
class Cnn1d(Backbone):
    """The network up to its last layer.

    Args:
        n_bands: Bands of the scene.
        n_kernels: Filters along the bands.
        width: Features of a pixel.
    """

    options: ClassVar[tuple[str, ...]] = ("n_kernels", "width")

    def __init__(self, *, n_bands: int, n_kernels: int = 20, width: int = 100) -> None:
        super().__init__()
        if n_bands < FEWEST_BANDS:
            raise InvalidInputError(f"cnn1d needs at least {FEWEST_BANDS} bands, got {n_bands}")
        kernel, self.pool = kernel_and_pool(n_bands)
        self.n_bands = n_bands
        self.n_features = width
        self.along = nn.Conv1d(1, n_kernels, kernel)
        self.full = nn.Linear(n_kernels * ((n_bands - kernel + 1) // self.pool), width)

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The network."""
        x = self.along(pixels.unsqueeze(1))
        # tanh is monotonic: after pooling it gives the same on fewer values.
        x = torch.tanh(max_pool1d(x, self.pool))
        return torch.tanh(self.full(x.flatten(1)))

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row col"]:
        """The features as they are: no layer sees neighbours."""
        return features
