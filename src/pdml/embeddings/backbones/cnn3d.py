"""The 3-D convolutional network of Chen et al. (2016): its own at 27 x 27 pixels, or one at 7 x 7.

`variant = "chen27"` has three convolutions of 32 filters over 4 x 4 pixels and 32 bands, with
pooling and dropout, in the geometry of the code that the field compares with. A 27 x 27 patch
becomes one pixel. A patch of 200 bands takes 7 thousand million products, so it is slow on a CPU.

`variant = "chen7"` is what the authors of SSRN re-trained on 7 x 7 patches under this name (CNNL):
a 3 x 3 convolution over all bands and four in the plane, which is their SPA without shortcuts.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import max_pool3d, relu

from pdml.embeddings.backbone import BACKBONES
from pdml.embeddings.initialise import he_normal
from pdml.embeddings.padding import Padding, size_after
from pdml.embeddings.plane import HALVED, side_left
from pdml.embeddings.residual_plane import ResidualPlane
from pdml.embeddings.volume_convolution import VolumeConvolution, as_volume, bands_as_channels
from pdml.errors import InvalidInputError, unknown_name

N_FILTERS = 32
SIDE = 4
MOST_BANDS_OF_KERNEL = 32
VARIANTS = ("chen7", "chen27")
FEWEST_BANDS = 4


def band_kernel(n_bands: int) -> int:
    """Bands that a kernel of chen27 spans: 32, or fewer where three of them would not fit."""
    return min(MOST_BANDS_OF_KERNEL, (n_bands - 1) // 3 + 1)


def n_band_positions(n_bands: int) -> int:
    """Band positions that are left before the last layer of chen27 (L')."""
    return n_bands - 3 * (band_kernel(n_bands) - 1)


@BACKBONES.register
class Cnn3d(ResidualPlane):
    """Either network up to its last layer.

    Args:
        n_bands: Bands of the scene.
        variant: `"chen7"` or `"chen27"`.
        padding: Of chen7: `"same"` pads its first convolution, `"collapsed"` makes a map of 5 x 5
            of a 7 x 7 patch. Chen27 is never padded.
        dropout: Dropout behind the first two convolutions of chen27; that behind the third is the
            classifier's.
    """

    options: ClassVar[tuple[str, ...]] = ("variant", "padding", "dropout")

    def __init__(
        self,
        *,
        n_bands: int,
        variant: Literal["chen7", "chen27"] = "chen7",
        padding: Padding = "same",
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        if variant not in VARIANTS:
            raise unknown_name("variant of cnn3d", variant, VARIANTS)
        self.n_bands = n_bands
        self.variant = variant
        if variant == "chen7":
            self.add_spatial_part(
                n_bands, n_kernels=24, n_blocks=2, n_norms=1, shortcut="none", padding=padding
            )
        else:
            self._add_volumes(dropout)
        he_normal(self)

    def _add_volumes(self, dropout: float) -> None:
        if self.n_bands < FEWEST_BANDS:
            raise InvalidInputError(
                f"cnn3d needs at least {FEWEST_BANDS} bands, got {self.n_bands}"
            )
        kernel = (SIDE, SIDE, band_kernel(self.n_bands))
        self.n_features = N_FILTERS * n_band_positions(self.n_bands)
        widths = (1, N_FILTERS, N_FILTERS)
        self.volumes = nn.ModuleList(VolumeConvolution(n, N_FILTERS, kernel) for n in widths)
        self.dropout = nn.Dropout(dropout)

    def output_size(self, patch_size: int) -> int:
        """What is left of a patch: 1 of 27 in chen27."""
        if self.variant == "chen7":
            return size_after(patch_size, padding=self.padding, n_convolutions=1)
        return side_left(patch_size, (SIDE, HALVED, SIDE, HALVED, SIDE), padding="collapsed")

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The spectra as they are: every layer sees neighbours."""
        return pixels

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row_left col_left"]:
        """All convolutions."""
        if self.variant == "chen7":
            return super().patches(features)
        x = as_volume(features)
        first, second, third = self.volumes
        for convolution in (first, second):
            x = self.dropout(max_pool3d(relu(convolution(x)), (2, 2, 1)))
        return bands_as_channels(relu(third(x)))
