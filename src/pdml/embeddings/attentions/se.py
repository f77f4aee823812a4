"""Squeeze-and-excitation of Hu et al. (2018): channels are weighed by what the patch holds."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from pdml.embeddings.attention import ATTENTIONS, Attention

REDUCTION = 16
FEWEST_HIDDEN = 8


def bottleneck(n_features: int) -> nn.Sequential:
    """Two layers with a narrow one between them, a sixteenth as wide but at least 8."""
    n_hidden = max(FEWEST_HIDDEN, n_features // REDUCTION)
    return nn.Sequential(
        nn.Linear(n_features, n_hidden), nn.ReLU(), nn.Linear(n_hidden, n_features)
    )


@ATTENTIONS.register
class SqueezeExcitation(Attention):
    """Weighs channels; which parts of the spectrum they stand for is the backbone's matter.

    Args:
        n_features: Channels of the map.
    """

    def __init__(self, *, n_features: int) -> None:
        super().__init__(n_features=n_features)
        self.excite = bottleneck(n_features)

    def forward(
        self, features: Float[Tensor, "n feature row col"]
    ) -> Float[Tensor, "n feature row col"]:
        """The map, weighed by channel."""
        gate = torch.sigmoid(self.excite(features.mean(dim=(2, 3))))
        return features * gate[:, :, None, None]
