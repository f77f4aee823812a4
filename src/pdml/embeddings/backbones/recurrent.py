"""A recurrent network over the bands of a pixel, after Mou et al. (2017).

The spectrum is read as a sequence by gated recurrent units; the last state, normalised, describes
the pixel. It sees no neighbours: the whole network is the spectral stage. The article reads one
band per step; reading several takes as many times fewer steps, and is the default.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.embeddings.norm_relu import NormRelu
from pdml.errors import InvalidInputError


@BACKBONES.register
class Recurrent(Backbone):
    """The network up to its last layer.

    Args:
        n_bands: Bands of the scene.
        width: Gated recurrent units, and features of a pixel.
        bands_per_step: Bands that are read at once; 1 in the article.
    """

    options: ClassVar[tuple[str, ...]] = ("width", "bands_per_step")

    def __init__(self, *, n_bands: int, width: int = 64, bands_per_step: int = 8) -> None:
        super().__init__()
        if not 1 <= bands_per_step <= n_bands:
            raise InvalidInputError(
                f"bands_per_step of recurrent must be from 1 to the {n_bands} bands of the scene, "
                f"got {bands_per_step}"
            )
        self.n_bands = n_bands
        self.n_features = width
        self.bands_per_step = bands_per_step
        self.units = nn.GRU(bands_per_step, width, batch_first=True)
        self.after = NormRelu(width)

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The network."""
        n_missing = -self.n_bands % self.bands_per_step
        whole = nn.functional.pad(pixels, (0, n_missing))
        steps = whole.view(len(pixels), -1, self.bands_per_step)
        with torch.autocast(pixels.device.type, enabled=False):
            _, last = self.units(steps.float() if steps.dtype == torch.bfloat16 else steps)
        features: Tensor = self.after(last[0])
        return features

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row col"]:
        """The features as they are: no layer sees neighbours."""
        return features
