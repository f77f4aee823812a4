"""SPA, the spatial part of SSRN (Zhong et al. 2018) as a network of its own.

One 3 x 3 convolution that spans all bands, then residual blocks in the plane. Without the shortcuts
of its blocks it is the network that the article calls CNNL: see `cnn3d`.
"""

from __future__ import annotations

from typing import ClassVar

from jaxtyping import Float
from torch import Tensor

from pdml.embeddings.backbone import BACKBONES
from pdml.embeddings.initialise import he_normal
from pdml.embeddings.padding import Padding
from pdml.embeddings.residual_plane import ResidualPlane


@BACKBONES.register
class Spa(ResidualPlane):
    """The second part of SSRN, on bands.

    Args:
        n_bands: Bands of the scene.
        padding: `"same"` pads the first convolution; `"collapsed"` is the published geometry, in
            which a 7 x 7 patch becomes a map of 5 x 5.
        n_kernels: Channels of all layers.
        n_blocks: Residual blocks.
    """

    options: ClassVar[tuple[str, ...]] = ("padding", "n_kernels", "n_blocks")

    def __init__(
        self,
        *,
        n_bands: int,
        padding: Padding = "same",
        n_kernels: int = 24,
        n_blocks: int = 2,
    ) -> None:
        super().__init__()
        self.n_bands = n_bands
        self.add_spatial_part(
            n_bands,
            n_kernels=n_kernels,
            n_blocks=n_blocks,
            n_norms=1,
            shortcut="identity",
            padding=padding,
        )
        he_normal(self)

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The spectra as they are: every layer sees neighbours."""
        return pixels
