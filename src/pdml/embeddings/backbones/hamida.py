"""HamidaNet, the 3-D convolutional network of Ben Hamida et al. (2018), without its last layer.

Two 3 x 3 x 3 convolutions, each followed by a strided one along the bands that stands for pooling,
then two more along the bands. What is left of the bands is folded into channels. The published
network wears a 5 x 5 patch down to one pixel; with `padding = "same"` it stays 5 x 5.
"""

from __future__ import annotations

from typing import ClassVar

from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import pad, relu

from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.embeddings.initialise import he_normal
from pdml.embeddings.padding import Padding, require_padding, size_after
from pdml.embeddings.volume_convolution import (
    CHANNELS_LAST,
    VolumeConvolution,
    as_volume,
    bands_as_channels,
)
from pdml.errors import InvalidInputError

FEWEST_BANDS = 3
N_FIRST = 20
N_LATER = 35


def n_band_positions(n_bands: int) -> int:
    """Band positions that are left before the layer that the head replaces (L')."""
    after_first = n_bands - 2
    after_first_pool = (after_first - 1) // 2 + 1
    after_second_pool = (after_first_pool - 1) // 2 + 1
    return after_second_pool // 2 + 1


def along_bands(n_channels: int, kernel: int, *, stride: int = 1) -> VolumeConvolution:
    """A convolution along the bands that is padded by one at both ends."""
    return VolumeConvolution(
        n_channels, n_channels, (1, 1, kernel), stride=(1, 1, stride), padding=(0, 0, 1)
    )


@BACKBONES.register
class Hamida(Backbone):
    """HamidaNet up to its fully connected layer.

    Args:
        n_bands: Bands of the scene.
        padding: `"same"` pads both convolutions in the plane; `"collapsed"` is the published
            geometry, in which a 5 x 5 patch becomes one pixel (and a 3 x 3 patch too: there the
            first convolution is padded).
    """

    options: ClassVar[tuple[str, ...]] = ("padding",)

    def __init__(self, *, n_bands: int, padding: Padding = "same") -> None:
        super().__init__()
        if n_bands < FEWEST_BANDS:
            raise InvalidInputError(f"hamida needs at least {FEWEST_BANDS} bands, got {n_bands}")
        require_padding(padding)
        self.n_bands = n_bands
        self.n_features = N_LATER * n_band_positions(n_bands)
        self.padding: Padding = padding
        around = 1 if padding == "same" else 0
        self.first = VolumeConvolution(1, N_FIRST, 3)
        self.first_pool = along_bands(N_FIRST, 3, stride=2)
        self.second = VolumeConvolution(N_FIRST, N_LATER, 3, padding=(around, around, 1))
        self.second_pool = along_bands(N_LATER, 3, stride=2)
        self.third = along_bands(N_LATER, 3)
        self.fourth = along_bands(N_LATER, 2, stride=2)
        he_normal(self)

    def output_size(self, patch_size: int) -> int:
        """The patch's own, or what two convolutions without padding leave of it."""
        if patch_size == 3:
            return 3 if self.padding == "same" else 1
        return size_after(patch_size, padding=self.padding, n_convolutions=2)

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The spectra as they are: every layer sees neighbours."""
        return pixels

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row_left col_left"]:
        """One vector per pixel that is left."""
        around = 1 if self.padding == "same" or features.shape[2] == 3 else 0
        x = as_volume(pad(features, (around, around, around, around)))
        x = self.first_pool(relu(self.first(x)).contiguous(memory_format=CHANNELS_LAST))
        x = self.second_pool(relu(self.second(x)))
        x = relu(self.fourth(relu(self.third(x))))
        return bands_as_channels(x)
