"""LiNet, the 3-D convolutional network of Li et al. (2017), without its last layer.

Two convolutions over rows, columns and bands; what is left of the bands is folded into channels.
The published network wears a 5 x 5 patch down to one pixel; with `padding = "same"` it stays 5 x 5.
"""

from __future__ import annotations

from typing import ClassVar

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import relu

from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.embeddings.padding import Padding, require_padding, size_after
from pdml.embeddings.volume_convolution import VolumeConvolution, as_volume, bands_as_channels
from pdml.errors import InvalidInputError

FEWEST_BANDS = 5


def n_band_positions(n_bands: int) -> int:
    """Band positions that are left before the layer that the head replaces (L')."""
    return n_bands - 4


@BACKBONES.register
class Li(Backbone):
    """LiNet up to its fully connected layer.

    Args:
        n_bands: Bands of the scene.
        padding: `"same"` pads both convolutions in the plane; `"collapsed"` is the published
            geometry, in which a 5 x 5 patch becomes one pixel.
        n_kernels: Filters of the first convolution; the second has twice as many.
    """

    options: ClassVar[tuple[str, ...]] = ("padding", "n_kernels")

    def __init__(self, *, n_bands: int, padding: Padding = "same", n_kernels: int = 16) -> None:
        super().__init__()
        if n_bands < FEWEST_BANDS:
            raise InvalidInputError(f"li needs at least {FEWEST_BANDS} bands, got {n_bands}")
        require_padding(padding)
        self.n_bands = n_bands
        self.n_features = 2 * n_kernels * n_band_positions(n_bands)
        self.padding: Padding = padding
        around = 1 if padding == "same" else 0
        self.first = VolumeConvolution(1, n_kernels, (3, 3, 7), padding=(around, around, 1))
        self.second = VolumeConvolution(n_kernels, 2 * n_kernels, 3, padding=(around, around, 1))
        for convolution in (self.first, self.second):
            nn.init.xavier_uniform_(convolution.weight)
            nn.init.zeros_(convolution.bias)  # type: ignore[arg-type]  # a bias is there

    def output_size(self, patch_size: int) -> int:
        """The patch's own, or what two convolutions without padding leave of it."""
        return size_after(patch_size, padding=self.padding, n_convolutions=2)

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The spectra as they are: every layer sees neighbours."""
        return pixels

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row_left col_left"]:
        """One vector per pixel that is left."""
        return bands_as_channels(relu(self.second(relu(self.first(as_volume(features))))))
