"""A small network of fully connected layers that looks at each spectrum by itself.

It takes any number of bands and has no spatial part: what stands beside a pixel does not count,
except through a head with a kernel of 3. It is what single spectra are classified with.
"""

from __future__ import annotations

from typing import ClassVar

from jaxtyping import Float
from torch import Tensor, nn

from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.errors import InvalidInputError


class _Residual(nn.Module):
    """Adds a layer of what was normalised to what came in."""

    def __init__(self, width: int) -> None:
        super().__init__()
        # Over the features of one spectrum: a batch may be a single spectrum.
        self.layers = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU())

    def forward(self, x: Float[Tensor, "pixel feature"]) -> Float[Tensor, "pixel feature"]:
        """The input plus what the layer makes of it."""
        added: Tensor = self.layers(x)
        return x + added


@BACKBONES.register
class SpectralMlp(Backbone):
    """A layer from bands to features, and residual layers.

    Args:
        n_bands: Bands of the scene.
        width: Features of a pixel.
        n_layers: Residual layers.
    """

    options: ClassVar[tuple[str, ...]] = ("width", "n_layers")

    def __init__(self, *, n_bands: int, width: int = 64, n_layers: int = 2) -> None:
        super().__init__()
        if width < 1 or n_layers < 0:
            raise InvalidInputError(
                "spectral_mlp needs a width of at least 1 and 0 or more layers, got width = "
                f"{width} and n_layers = {n_layers}"
            )
        self.n_bands = n_bands
        self.n_features = width
        residuals = (_Residual(width) for _ in range(n_layers))
        self.layers = nn.Sequential(nn.Linear(n_bands, width), nn.GELU(), *residuals)

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """Features of single spectra: all that this network does."""
        features: Tensor = self.layers(pixels)
        return features

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row col"]:
        """The features as they are."""
        return features
