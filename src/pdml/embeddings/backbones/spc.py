"""SPC, the spectral part of SSRN (Zhong et al. 2018) as a network of its own.

Everything of SSRN that looks at one spectrum at a time, up to the filters that span all bands. The
article trains it on patches and averages over them: `classifier = "pooled"`. A map runs it once per
pixel.
"""

from __future__ import annotations

from typing import ClassVar

from jaxtyping import Float
from torch import Tensor

from pdml.embeddings.backbone import BACKBONES
from pdml.embeddings.initialise import he_normal
from pdml.embeddings.residual_spectra import ResidualSpectra


@BACKBONES.register
class Spc(ResidualSpectra):
    """The first part of SSRN.

    Args:
        n_bands: Bands of the scene.
        n_kernels: Channels of the residual blocks.
        n_blocks: Residual blocks: 2 in the article, 1 in the code that its authors released.
        n_spectral_features: Filters that span all band positions, and features of a pixel.
    """

    options: ClassVar[tuple[str, ...]] = ("n_kernels", "n_blocks", "n_spectral_features")

    def __init__(
        self,
        *,
        n_bands: int,
        n_kernels: int = 24,
        n_blocks: int = 2,
        n_spectral_features: int = 128,
    ) -> None:
        super().__init__()
        self.n_bands = n_bands
        self.n_features = n_spectral_features
        self.add_spectral_part(
            n_kernels=n_kernels,
            n_spectral_features=n_spectral_features,
            n_blocks=n_blocks,
            n_norms=1,
        )
        he_normal(self)

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row col"]:
        """The features as they are: no layer sees neighbours."""
        return features
