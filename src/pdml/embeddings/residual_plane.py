"""The spatial part of SSRN: a 3 x 3 convolution and residual blocks in the plane."""

from __future__ import annotations

from typing import Literal

from jaxtyping import Float
from torch import Tensor, nn

from pdml.embeddings.backbone import Backbone
from pdml.embeddings.norm_relu import NormRelu
from pdml.embeddings.padding import Padding, require_padding, size_after
from pdml.embeddings.patch_convolution import PatchConvolution

Shortcut = Literal["identity", "projection", "none"]
"""What is added to a block's convolutions: its input, its input mapped by 1 x 1, or nothing."""


class SpatialBlock(nn.Module):
    """Adds conv(relu(norm(conv(before(x))))) to x, in the plane with 3 x 3 convolutions.

    `before` is normalisation and ReLU, or nothing where the input is activated already.
    """

    def __init__(self, n_channels: int, *, activate_first: bool, shortcut: Shortcut) -> None:
        super().__init__()
        self.before = NormRelu(n_channels) if activate_first else nn.Identity()
        self.first = PatchConvolution(n_channels, n_channels)
        self.between = NormRelu(n_channels)
        self.second = PatchConvolution(n_channels, n_channels)
        self.shortcut = nn.Linear(n_channels, n_channels) if shortcut == "projection" else None
        self.adds = shortcut != "none"

    def forward(self, x: Float[Tensor, "n row col channel"]) -> Float[Tensor, "n row col channel"]:
        """Adds the residual."""
        y: Tensor = self.second(self.between(self.first(self.before(x))))
        if not self.adds:
            return y
        return y + (x if self.shortcut is None else self.shortcut(x))


class ResidualPlane(Backbone):
    """A backbone whose second stage is SSRN's spatial part."""

    def add_spatial_part(
        self,
        n_inputs: int,
        *,
        n_kernels: int,
        n_blocks: int,
        n_norms: int,
        shortcut: Shortcut,
        padding: Padding,
    ) -> None:
        """Makes the layers.

        Args:
            n_inputs: Channels of the first stage.
            n_kernels: Channels of all layers.
            n_blocks: Residual blocks.
            n_norms: Normalisations behind the last block.
            shortcut: What the blocks add.
            padding: Whether the first convolution is padded or wears the border away.
        """
        require_padding(padding)
        self.n_features = n_kernels
        self.padding: Padding = padding
        self.entry = PatchConvolution(n_inputs, n_kernels)
        self.after_entry = NormRelu(n_kernels)
        self.spatial_blocks = nn.Sequential(
            *(
                SpatialBlock(n_kernels, activate_first=i > 0, shortcut=shortcut)
                for i in range(n_blocks)
            )
        )
        self.after_spatial = nn.Sequential(*(NormRelu(n_kernels) for _ in range(n_norms)))

    def output_size(self, patch_size: int) -> int:
        """The patch's own, or what one convolution without padding leaves of it."""
        return size_after(patch_size, padding=self.padding, n_convolutions=1)

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row_left col_left"]:
        """Spatial part: one vector per pixel that has seen its neighbours."""
        x = self.entry(features.permute(0, 2, 3, 1))
        if self.padding == "collapsed":
            x = x[:, 1:-1, 1:-1]  # what has not seen the padding is the unpadded convolution
        x = self.after_spatial(self.spatial_blocks(self.after_entry(x)))
        moved: Tensor = x.permute(0, 3, 1, 2)
        return moved
