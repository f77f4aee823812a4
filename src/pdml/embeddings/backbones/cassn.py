"""A cross-attention spectral-spatial network after CASSN of Yang et al. (2022): a reconstruction.

What the article's abstract says is kept: the bands are weighed by what the centre's spectrum and
the patch as a whole look like, features are made of single spectra, and the centre then asks the
pixels of the patch for what they hold; no layer convolves over neighbours, so turns and reflections
change nothing. Sizes are ours, as no code was published.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.embeddings.norm_relu import NormRelu
from pdml.embeddings.padding import Padding, require_padding

BAND_KERNEL = 7


class BandWeights(nn.Module):
    """A number from 0 to 1 per band, from the centre's spectrum and the mean of the patch."""

    def __init__(self, n_bands: int) -> None:
        super().__init__()
        self.of_centre = nn.Conv1d(1, 1, BAND_KERNEL, padding=BAND_KERNEL // 2)
        self.of_patch = nn.Linear(n_bands, n_bands)

    def forward(
        self, centre: Float[Tensor, "n band"], mean: Float[Tensor, "n band"]
    ) -> Float[Tensor, "n band"]:
        """The weights."""
        local = self.of_centre(centre.unsqueeze(1)).squeeze(1)
        return torch.sigmoid(local + self.of_patch(mean))


@BACKBONES.register
class Cassn(Backbone):
    """The network up to its last layer.

    Args:
        n_bands: Bands of the scene.
        padding: `"collapsed"`: only the centre asks and is left, as in the article; `"same"`:
            every pixel does. The centre is the same in both.
        width: Features of a pixel.
        n_layers: Layers that make features of a spectrum.
    """

    options: ClassVar[tuple[str, ...]] = ("padding", "width", "n_layers")

    def __init__(
        self, *, n_bands: int, padding: Padding = "same", width: int = 64, n_layers: int = 3
    ) -> None:
        super().__init__()
        require_padding(padding)
        self.n_bands = n_bands
        self.n_features = width
        self.padding: Padding = padding
        self.band_weights = BandWeights(n_bands)
        widths = [n_bands] + [width] * n_layers
        self.spectral = nn.Sequential(
            *(
                layer
                for i in range(n_layers)
                for layer in (nn.Linear(widths[i], width, bias=False), NormRelu(width))
            )
        )
        self.query = nn.Linear(widths[-1], width, bias=False)
        self.key = nn.Linear(widths[-1], width, bias=False)
        self.value = nn.Linear(widths[-1], width, bias=False)
        self.norm = nn.LayerNorm(width)

    def output_size(self, patch_size: int) -> int:
        """The patch's own, or the one pixel in the centre."""
        return patch_size if self.padding == "same" else 1

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The spectra as they are: the weights of bands are in front of everything."""
        return pixels

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row_left col_left"]:
        """Bands weighed, spectra turned into features, features exchanged."""
        n, _, n_rows, n_cols = features.shape
        middle = n_rows // 2 * n_cols + n_cols // 2
        x = features.flatten(2).transpose(1, 2)
        weights = self.band_weights(x[:, middle], x.mean(dim=1))
        x = self.spectral(x * weights.unsqueeze(1))
        asking = x if self.padding == "same" else x[:, middle : middle + 1]
        found = scaled_dot_product_attention(self.query(asking), self.key(x), self.value(x))
        y: Tensor = self.norm(asking + found)
        side = self.output_size(n_rows)
        return y.transpose(1, 2).reshape(n, -1, side, side)
