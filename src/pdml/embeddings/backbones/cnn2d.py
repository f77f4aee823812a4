"""The 2-D convolutional network of Makantasis et al. (2015), without its last layer.

Two 3 x 3 convolutions with three and nine times as many filters as inputs wear a 5 x 5 patch down
to one pixel; a layer of six times as many units follows. No pooling. It is made for principal
components: `n_components = 30` for Indian Pines, `10` for Pavia University.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import relu

from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.embeddings.initialise import he_normal
from pdml.embeddings.padding import Padding, require_padding
from pdml.embeddings.plane import PlaneConvolution, side_left


@BACKBONES.register
class Cnn2d(Backbone):
    """The network up to its last layer.

    Args:
        n_bands: Bands or principal components of the scene.
        padding: `"same"` pads both convolutions; `"collapsed"` is the published geometry, in which
            a 5 x 5 patch becomes one pixel.
    """

    options: ClassVar[tuple[str, ...]] = ("padding",)

    def __init__(self, *, n_bands: int, padding: Padding = "same") -> None:
        super().__init__()
        require_padding(padding)
        self.n_bands = n_bands
        self.n_features = 6 * n_bands
        self.padding: Padding = padding
        self.first = PlaneConvolution(n_bands, 3 * n_bands, 3, padding=padding)
        self.second = PlaneConvolution(3 * n_bands, 9 * n_bands, 3, padding=padding)
        self.hidden = nn.Conv2d(9 * n_bands, 6 * n_bands, 1)
        he_normal(self)

    def output_size(self, patch_size: int) -> int:
        """The patch's own, or what two convolutions without padding leave of it."""
        return side_left(patch_size, (3, 3), padding=self.padding)

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The spectra as they are: every layer sees neighbours."""
        return pixels

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row_left col_left"]:
        """Both convolutions and the hidden layer."""
        x = features.contiguous(memory_format=torch.channels_last)
        return relu(self.hidden(relu(self.second(relu(self.first(x))))))
