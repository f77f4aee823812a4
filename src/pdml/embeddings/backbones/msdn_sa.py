"""A dense network with spectral attention after MSDN-SA of Fang et al. (2019): a reconstruction.

The abstract says: 3-D dilated convolutions of different scales, all feature maps densely connected,
attention over the bands. Here each layer adds a few maps by a 3 x 3 x 3 convolution of all maps
before it, dilated along the bands by 1, 2 and 3 in turn (as mixed-scale dense networks do in the
plane), and band positions are weighed by squeeze and excitation. Sizes are ours, as no code was
published; the convolution in front takes every fourth band position, and two rounds of dilations
follow, so that a CPU can train it.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import pad

from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.embeddings.initialise import he_normal
from pdml.embeddings.norm_relu import NormRelu
from pdml.errors import InvalidInputError

BAND_KERNEL = 7
N_DILATIONS = 3
N_TAPS = 3
N_HIDDEN = 8


class DilatedLayer(nn.Module):
    """A 3 x 3 x 3 convolution, dilated along the bands, with normalisation and ReLU.

    It is written as one 3 x 3 convolution in the plane that computes the three taps along the bands
    side by side, and a sum of them shifted: the same sums as `Conv3d`, which pads a handful of
    filters to the width of a register.

    Args:
        n_in: Maps before it.
        n_out: Maps that it adds.
        dilation: Distance of the taps along the bands.
    """

    def __init__(self, n_in: int, n_out: int, *, dilation: int) -> None:
        super().__init__()
        self.n_out = n_out
        self.dilation = dilation
        self.taps = nn.Conv2d(n_in, N_TAPS * n_out, 3, padding=1, bias=False)
        self.norm = NormRelu(n_out)

    def forward(
        self, x: Float[Tensor, "n position channel row col"]
    ) -> Float[Tensor, "n position out row col"]:
        """Convolves over positions, rows and columns."""
        n, n_positions = x.shape[:2]
        taps = self.taps(x.flatten(0, 1)).unflatten(0, (n, n_positions))
        before, here, behind = taps.split(self.n_out, dim=2)
        d = min(self.dilation, n_positions)
        along = (0, 0, 0, 0, 0, 0)
        moved = pad(before[:, : n_positions - d], (*along, d, 0)) + here
        moved = moved + pad(behind[:, d:], (*along, 0, d))
        normal: Tensor = self.norm(moved.permute(0, 1, 3, 4, 2))
        return normal.permute(0, 1, 4, 2, 3)


class PositionGate(nn.Module):
    """Weighs band positions by their means over the patch and the maps."""

    def __init__(self, n_positions: int) -> None:
        super().__init__()
        self.excite = nn.Sequential(
            nn.Linear(n_positions, N_HIDDEN), nn.ReLU(), nn.Linear(N_HIDDEN, n_positions)
        )

    def forward(
        self, x: Float[Tensor, "n position channel row col"]
    ) -> Float[Tensor, "n channel row col"]:
        """The mean over positions, each with its weight."""
        weights = torch.sigmoid(self.excite(x.mean(dim=(2, 3, 4))))
        return torch.einsum("np,npcij->ncij", weights / x.shape[1], x)


@BACKBONES.register
class MsdnSa(Backbone):
    """The network up to its pooling.

    Args:
        n_bands: Bands of the scene.
        n_first: Maps of the convolution along the bands in front.
        band_stride: Step of that convolution.
        growth: Maps that a layer adds.
        n_layers: Layers.
    """

    options: ClassVar[tuple[str, ...]] = ("n_first", "band_stride", "growth", "n_layers")

    def __init__(
        self,
        *,
        n_bands: int,
        n_first: int = 16,
        band_stride: int = 4,
        growth: int = 4,
        n_layers: int = 6,
    ) -> None:
        super().__init__()
        if n_bands < BAND_KERNEL:
            raise InvalidInputError(f"msdn_sa needs at least {BAND_KERNEL} bands, got {n_bands}")
        self.n_bands = n_bands
        self.band_stride = band_stride
        self.n_features = n_first + n_layers * growth
        self.first = nn.Linear(BAND_KERNEL, n_first, bias=False)
        self.after_first = NormRelu(n_first)
        self.layers = nn.ModuleList(
            DilatedLayer(n_first + i * growth, growth, dilation=1 + i % N_DILATIONS)
            for i in range(n_layers)
        )
        self.gate = PositionGate((n_bands - BAND_KERNEL) // band_stride + 1)
        he_normal(self)

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The spectra as they are: the first layer's maps would be eight times as large."""
        return pixels

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row col"]:
        """All layers and the attention."""
        windows = features.unfold(1, BAND_KERNEL, self.band_stride)
        x = self.after_first(self.first(windows)).permute(0, 1, 4, 2, 3)
        for layer in self.layers:
            x = torch.cat([x, layer(x)], dim=2)
        gated: Tensor = self.gate(x)
        return gated
