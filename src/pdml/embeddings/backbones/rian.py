"""RIAN, the rotation-invariant attention network of Zheng et al. (2022), without its last layer.

No layer convolves over neighbours, so turning or mirroring a patch changes nothing but the places
of its features. The spectrum of the centre says which bands count; pixels exchange what they hold
with those that resemble them most.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import relu

from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.embeddings.initialise import he_normal
from pdml.embeddings.norm_relu import NormRelu
from pdml.embeddings.normalisation import Normalisation
from pdml.errors import InvalidInputError

MOMENTUM = 0.05
"""Of running statistics; the authors' decay of 0.95 says the same."""

OFF = -100.0
"""What similarities below the threshold are set to before the softmax."""


class PixelLayer(nn.Module):
    """A linear layer on every pixel, normalisation and ReLU; no bias, which the mean would undo."""

    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(n_in, n_out, bias=False)
        self.norm = NormRelu(n_out, momentum=MOMENTUM)

    def forward(self, x: Float[Tensor, "n position channel"]) -> Float[Tensor, "n position out"]:
        """The layer."""
        normal: Tensor = self.norm(self.linear(x))
        return normal


def exchanged(
    x: Float[Tensor, "n position channel"], *, threshold: float
) -> Float[Tensor, "n position channel"]:
    """RSpaA: each pixel becomes a mean of those that are similar to it.

    Args:
        x: Features of the pixels of each patch.
        threshold: Share of a pixel's largest similarity below which another does not count.
    """
    similarity = torch.bmm(x, x.transpose(1, 2))
    counts = similarity > threshold * similarity.amax(dim=2, keepdim=True)
    weights = torch.where(counts, similarity, OFF).softmax(dim=2)
    return torch.bmm(weights.to(x.dtype), x)


class Block(nn.Module):
    """Two layers, the exchange, a layer without ReLU, and the input added."""

    def __init__(self, width: int, *, threshold: float) -> None:
        super().__init__()
        self.threshold = threshold
        self.first = PixelLayer(width, width)
        self.second = PixelLayer(width, width)
        self.last = nn.Linear(width, width, bias=False)
        self.norm = Normalisation(width, momentum=MOMENTUM)

    def forward(
        self, x: Float[Tensor, "n position channel"]
    ) -> Float[Tensor, "n position channel"]:
        """Adds the residual."""
        y = self.last(exchanged(self.second(self.first(x)), threshold=self.threshold))
        normal = self.norm(y.transpose(1, 2).unsqueeze(3)).squeeze(3).transpose(1, 2)
        return relu(x + normal)


@BACKBONES.register
class Rian(Backbone):
    """The network up to its pooling.

    Args:
        n_bands: Bands of the scene.
        width: Features of a pixel.
        n_blocks: Residual blocks.
        threshold: Share of the largest similarity from which on pixels exchange features.
    """

    options: ClassVar[tuple[str, ...]] = ("width", "n_blocks", "threshold")

    def __init__(
        self, *, n_bands: int, width: int = 64, n_blocks: int = 2, threshold: float = 0.6
    ) -> None:
        super().__init__()
        if not 0 <= threshold < 1:
            raise InvalidInputError(
                f"threshold of rian must be from 0 to below 1, got {threshold}; try 0.6"
            )
        self.n_bands = n_bands
        self.n_features = width
        self.band_gate = nn.Linear(n_bands, n_bands)
        self.encoder = PixelLayer(n_bands, width)
        self.blocks = nn.Sequential(*(Block(width, threshold=threshold) for _ in range(n_blocks)))
        he_normal(self)
        nn.init.xavier_uniform_(self.band_gate.weight)  # a sigmoid follows

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The spectra as they are: the centre's gate is in front of everything."""
        return pixels

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row col"]:
        """Bands weighed by the centre, then the blocks."""
        n, _, n_rows, n_cols = features.shape
        x = features.flatten(2).transpose(1, 2)
        gate = torch.sigmoid(self.band_gate(features[:, :, n_rows // 2, n_cols // 2]))
        y: Tensor = self.blocks(self.encoder(x * gate.unsqueeze(1)))
        return y.transpose(1, 2).reshape(n, -1, n_rows, n_cols)
