"""The spatial half of CBAM, Woo et al. (2018): each pixel is weighed by what is around it."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from pdml.embeddings.attention import ATTENTIONS, Attention

KERNEL = 7


@ATTENTIONS.register
class Spatial(Attention):
    """Weighs pixels by a convolution of the mean and the largest of their channels.

    Args:
        n_features: Channels of the map.
    """

    def __init__(self, *, n_features: int) -> None:
        super().__init__(n_features=n_features)
        self.around = nn.Conv2d(2, 1, KERNEL, padding=KERNEL // 2)

    def forward(
        self, features: Float[Tensor, "n feature row col"]
    ) -> Float[Tensor, "n feature row col"]:
        """The map, weighed by pixel."""
        summary = torch.stack([features.mean(dim=1), features.amax(dim=1)], dim=1)
        return features * torch.sigmoid(self.around(summary))
