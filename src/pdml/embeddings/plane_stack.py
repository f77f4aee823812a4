"""A stack of convolutions and poolings in the plane, written as a list of its layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import relu

from pdml.embeddings.backbone import Backbone
from pdml.embeddings.initialise import he_normal
from pdml.embeddings.padding import Padding, require_padding
from pdml.embeddings.plane import HALVED, PlaneConvolution, pooled, side_left


@dataclass(frozen=True)
class Layer:
    """A convolution with ReLU.

    Attributes:
        n_filters: Filters.
        side: Side of the kernel.
        always_padded: Whether it keeps rows and columns in the published geometry as well.
        pools: Whether pooling follows.
    """

    n_filters: int
    side: int
    always_padded: bool = False
    pools: bool = False


class PlaneStack(Backbone):
    """A backbone of such layers, and of full layers on what they leave."""

    def add_layers(
        self, layers: Sequence[Layer], *, full: Sequence[int] = (), padding: Padding
    ) -> None:
        """Makes the layers.

        Args:
            layers: Convolutions in their order.
            full: Units of the full layers behind them, each on one place of the map that is left.
            padding: Whether rows and columns are kept.
        """
        require_padding(padding)
        self.padding: Padding = padding
        self.layers = tuple(layers)
        widths = [self.n_bands, *(layer.n_filters for layer in layers), *full]
        self.n_features = widths[-1]
        self.convolutions = nn.ModuleList(
            PlaneConvolution(
                widths[number],
                layer.n_filters,
                layer.side,
                padding="same" if layer.always_padded else padding,
            )
            for number, layer in enumerate(layers)
        )
        self.full = nn.ModuleList(
            nn.Conv2d(widths[number], widths[number + 1], 1)
            for number in range(len(layers), len(widths) - 1)
        )
        he_normal(self)

    def output_size(self, patch_size: int) -> int:
        """The patch's own, or what the published layers leave of it."""
        kernels: list[int] = []
        for layer in self.layers:
            kernels += [] if layer.always_padded else [layer.side]
            kernels += [HALVED] if layer.pools else []
        return side_left(patch_size, kernels, padding=self.padding)

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The values as they are: every layer sees neighbours."""
        return pixels

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row_left col_left"]:
        """All layers."""
        x = features.contiguous(memory_format=torch.channels_last)
        for layer, convolution in zip(self.layers, self.convolutions, strict=True):
            x = relu(convolution(x))
            x = pooled(x, padding=self.padding) if layer.pools else x
        for full in self.full:
            x = relu(full(x))
        return x
