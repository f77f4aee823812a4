"""SSRN, the spectral-spatial residual network of Zhong et al. (2018).

Spectral part, per pixel: a strided convolution along the bands, residual blocks along the bands,
and one filter bank that spans all remaining band positions. Spatial part: a 3 x 3 convolution over
these features and residual blocks in the plane. The published network crops the border in the
3 x 3 convolution; by default it is padded, so that s x s pixels stay s x s as PDML needs.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pdml.embeddings.backbone import BACKBONES
from pdml.embeddings.initialise import he_normal
from pdml.embeddings.padding import Padding
from pdml.embeddings.residual_plane import ResidualPlane
from pdml.embeddings.residual_spectra import ResidualSpectra
from pdml.errors import InvalidInputError


@BACKBONES.register
class Ssrn(ResidualSpectra, ResidualPlane):
    """SSRN up to its pooling layer.

    Args:
        n_bands: Bands of the scene.
        variant: `"article"`: two spectral and two spatial blocks with identity shortcuts;
            `"released"`: one of each, a 1 x 1 convolution on the spatial shortcut and a second
            normalisation after the blocks, as in the code that its authors released.
        padding: `"same"` pads the convolution between the two parts; `"collapsed"` is the
            published geometry, in which a 7 x 7 patch becomes a map of 5 x 5.
        n_kernels: Channels of the residual blocks (the article used 24, and 16 for KSC).
        n_spectral_features: Filters that span all band positions.
    """

    options: ClassVar[tuple[str, ...]] = ("variant", "padding", "n_kernels", "n_spectral_features")

    def __init__(
        self,
        *,
        n_bands: int,
        variant: Literal["article", "released"] = "article",
        padding: Padding = "same",
        n_kernels: int = 24,
        n_spectral_features: int = 128,
    ) -> None:
        super().__init__()
        if variant not in ("article", "released"):
            raise InvalidInputError(
                f"variant of ssrn must be 'article' or 'released', got '{variant}'"
            )
        released = variant == "released"
        n_blocks, n_norms = (1, 2) if released else (2, 1)
        self.n_bands = n_bands
        self.add_spectral_part(
            n_kernels=n_kernels,
            n_spectral_features=n_spectral_features,
            n_blocks=n_blocks,
            n_norms=n_norms,
        )
        self.add_spatial_part(
            n_spectral_features,
            n_kernels=n_kernels,
            n_blocks=n_blocks,
            n_norms=n_norms,
            shortcut="projection" if released else "identity",
            padding=padding,
        )
        he_normal(self)
