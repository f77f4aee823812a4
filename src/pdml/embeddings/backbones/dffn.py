"""DFFN, the deep feature fusion network of Song et al. (2018), without its pooling and last layer.

Three stages of residual blocks in the plane with 16, 32 and 64 channels, the second and third at
half the resolution each. The ends of all three are brought to the size of the last and summed. It
is made for large patches of a few principal components: `n_components = 3`, `patch_size = 25`. A
patch of 25 x 25 pixels becomes a map of 7 x 7, whose laps are 4 pixels of the scene apart.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import relu

from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.embeddings.initialise import he_normal
from pdml.embeddings.normalisation import normalised
from pdml.errors import InvalidInputError

WIDTHS = (16, 32, 64)


class ResidualBlock(nn.Module):
    """relu(x + norm(conv(relu(norm(conv(x)))))), with a projection where the size changes.

    Args:
        n_in: Channels of the input.
        n_out: Channels of the output.
        activate_last: Whether the sum goes through ReLU.
    """

    def __init__(self, n_in: int, n_out: int, *, activate_last: bool = True) -> None:
        super().__init__()
        stride = 1 if n_in == n_out else 2
        self.activate_last = activate_last
        self.first = normalised(nn.Conv2d(n_in, n_out, 3, stride=stride, padding=1))
        self.second = normalised(nn.Conv2d(n_out, n_out, 3, padding=1))
        self.shortcut = (
            nn.Identity() if n_in == n_out else normalised(nn.Conv2d(n_in, n_out, 1, stride=stride))
        )

    def forward(self, x: Float[Tensor, "n channel row col"]) -> Float[Tensor, "n out row2 col2"]:
        """Adds the residual."""
        total: Tensor = self.shortcut(x) + self.second(relu(self.first(x)))
        return relu(total) if self.activate_last else total


def stage(n_in: int, n_out: int, n_blocks: int, *, activate_last: bool = True) -> nn.Sequential:
    """Residual blocks of one width, the first of which brings the input to it."""
    widths = [n_in] + [n_out] * n_blocks
    return nn.Sequential(
        *(
            ResidualBlock(widths[i], n_out, activate_last=activate_last or i < n_blocks - 1)
            for i in range(n_blocks)
        )
    )


@BACKBONES.register
class Dffn(Backbone):
    """DFFN up to its pooling layer.

    Args:
        n_bands: Bands or principal components of the scene.
        n_blocks: Residual blocks of a stage: 4 for Indian Pines and Salinas, 5 for Pavia University
            in the article.
    """

    options: ClassVar[tuple[str, ...]] = ("n_blocks",)

    def __init__(self, *, n_bands: int, n_blocks: int = 4) -> None:
        super().__init__()
        if n_blocks < 1:
            raise InvalidInputError(f"n_blocks of dffn must be at least 1, got {n_blocks}")
        fine, middle, coarse = WIDTHS
        self.n_bands = n_bands
        self.n_features = coarse
        self.entry = normalised(nn.Conv2d(n_bands, fine, 3, padding=1))
        self.fine = stage(fine, fine, n_blocks)
        self.middle = stage(fine, middle, n_blocks)
        self.coarse = stage(middle, coarse, n_blocks, activate_last=False)
        self.from_fine = normalised(nn.Conv2d(fine, coarse, 3, stride=4, padding=1))
        self.from_middle = normalised(nn.Conv2d(middle, coarse, 3, stride=2, padding=1))
        he_normal(self)

    def output_size(self, patch_size: int) -> int:
        """A quarter of the patch, rounded up: 7 for 25, 6 for 23."""
        return (patch_size + 3) // 4

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The spectra as they are: every layer sees neighbours."""
        return pixels

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row_left col_left"]:
        """The three stages, fused at the size of the last."""
        x = features.contiguous(memory_format=torch.channels_last)
        fine = self.fine(relu(self.entry(x)))
        middle = self.middle(fine)
        return relu(self.from_fine(fine) + self.from_middle(middle) + self.coarse(middle))
