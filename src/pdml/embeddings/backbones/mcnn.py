"""A network with mapping layers after MCNN of Li et al. (2019): a reconstruction.

The abstract says: a patch is mapped into a small subspace by multilinear algebra, along rows,
columns and bands, and a few 3-D convolutions follow. Here the three matrices are learnt like all
weights and start as the leading singular vectors of the training patches along each axis. Sizes are
ours, as no code was published: 11 x 11 pixels are mapped to 7 x 7 and the bands to 30, three
convolutions of 32 filters leave one pixel, and a layer of 256 units follows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import relu

from pdml.embeddings.backbone import BACKBONES, Backbone
from pdml.embeddings.initialise import he_normal
from pdml.embeddings.norm_relu import NormRelu
from pdml.embeddings.volume_convolution import VolumeConvolution, as_volume, bands_as_channels
from pdml.errors import InvalidInputError

N_CONVOLUTIONS = 3
N_FILTERS = 32
MAPPED_SIZE = 2 * N_CONVOLUTIONS + 1
FEWEST_MAPPED = 2 * N_CONVOLUTIONS + 1


class NormalisedVolumes(nn.Module):
    """A 3 x 3 x 3 convolution without padding, normalisation and ReLU."""

    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        self.convolution = VolumeConvolution(n_in, n_out, 3, bias=False)
        self.norm = NormRelu(n_out)

    def forward(
        self, x: Float[Tensor, "n channel row col band"]
    ) -> Float[Tensor, "n out row2 col2 band2"]:
        """Convolves."""
        normal: Tensor = self.norm(self.convolution(x).permute(0, 2, 3, 4, 1))
        return normal.permute(0, 4, 1, 2, 3)


@BACKBONES.register
class Mcnn(Backbone):
    """The network up to its last layer.

    Args:
        n_bands: Bands of the scene.
        patch_size: Side of a patch.
        n_mapped: What the bands are mapped to; all of them where there are fewer.
        width: Units of the layer behind the convolutions, and features of a patch.
    """

    options: ClassVar[tuple[str, ...]] = ("n_mapped", "width")
    sized: ClassVar[bool] = True

    def __init__(
        self, *, n_bands: int, patch_size: int = 11, n_mapped: int = 30, width: int = 256
    ) -> None:
        super().__init__()
        n_mapped = min(n_mapped, n_bands)
        if n_mapped < FEWEST_MAPPED:
            raise InvalidInputError(
                f"mcnn needs at least {FEWEST_MAPPED} bands and n_mapped = {FEWEST_MAPPED}, got "
                f"{n_bands} bands and n_mapped = {n_mapped}"
            )
        self.n_bands = n_bands
        self.n_features = width
        self.patch_size = patch_size
        self.map_bands = nn.Linear(n_bands, n_mapped, bias=False)
        self.map_rows = nn.Linear(patch_size, MAPPED_SIZE, bias=False)
        self.map_cols = nn.Linear(patch_size, MAPPED_SIZE, bias=False)
        self.volumes = nn.Sequential(
            *(NormalisedVolumes(N_FILTERS if i else 1, N_FILTERS) for i in range(N_CONVOLUTIONS))
        )
        n_left = N_FILTERS * (n_mapped - 2 * N_CONVOLUTIONS)
        self.full = nn.Conv2d(n_left, width, 1)
        he_normal(self)
        for mapping in (self.map_bands, self.map_rows, self.map_cols):
            nn.init.orthogonal_(mapping.weight)

    def output_size(self, patch_size: int) -> int:
        """One pixel, of patches that are no smaller than what they are mapped to."""
        return int(patch_size >= MAPPED_SIZE)

    @torch.no_grad()
    def prepare(
        self, patches: Iterable[Float[Tensor, "n row col band"]], *, generator: torch.Generator
    ) -> None:
        """Sets the three matrices from the training patches."""
        mappings = {"r": self.map_rows, "c": self.map_cols, "b": self.map_bands}
        products = {axis: torch.zeros(()) for axis in mappings}
        for batch in patches:
            for axis in mappings:
                other = "nrcb".replace(axis, "o")
                product = torch.einsum(f"nrcb,{other}->{axis}o", batch, batch)
                products[axis] = products[axis].to(batch.device) + product.double()
        for axis, mapping in mappings.items():
            leading = torch.linalg.eigh(products[axis]).eigenvectors.flip(1)
            leading = leading[:, : mapping.out_features].T
            # The sign of a singular vector is arbitrary; its largest entry is made positive.
            largest = leading.abs().argmax(dim=1, keepdim=True)
            mapping.weight.copy_(leading * leading.gather(1, largest).sign())

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The bands, mapped."""
        mapped: Tensor = self.map_bands(pixels)
        return mapped

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row_left col_left"]:
        """Rows and columns mapped, and the convolutions.

        Raises:
            InvalidInputError: If the patches are not of the size that the network was built for.
        """
        if features.shape[2] != self.patch_size:
            raise InvalidInputError(
                f"mcnn was built for patches of {self.patch_size} x {self.patch_size} pixels, got "
                f"{features.shape[2]} x {features.shape[3]}; say patch_size when it is built"
            )
        cols_mapped = self.map_cols(features)
        mapped = self.map_rows(cols_mapped.transpose(2, 3)).transpose(2, 3)
        return relu(self.full(bands_as_channels(self.volumes(as_volume(mapped)))))
