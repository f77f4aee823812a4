"""CBAM, the convolutional block attention module of Woo et al. (2018): channels, then pixels."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from pdml.embeddings.attention import ATTENTIONS, Attention
from pdml.embeddings.attentions.se import bottleneck
from pdml.embeddings.attentions.spatial import Spatial


@ATTENTIONS.register
class Cbam(Attention):
    """Weighs channels by the mean and the largest of their pixels, then pixels.

    Args:
        n_features: Channels of the map.
    """

    def __init__(self, *, n_features: int) -> None:
        super().__init__(n_features=n_features)
        self.excite = bottleneck(n_features)
        self.spatial = Spatial(n_features=n_features)

    def forward(
        self, features: Float[Tensor, "n feature row col"]
    ) -> Float[Tensor, "n feature row col"]:
        """The map, weighed twice."""
        mean, largest = features.mean(dim=(2, 3)), features.amax(dim=(2, 3))
        gate = torch.sigmoid(self.excite(mean) + self.excite(largest))
        weighed: Tensor = self.spatial(features * gate[:, :, None, None])
        return weighed
