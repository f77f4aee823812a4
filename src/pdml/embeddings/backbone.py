"""What a backbone is: a stage that sees single spectra, then a stage that sees neighbours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from pdml.errors import InvalidInputError
from pdml.registry import Registry


class Backbone(nn.Module, ABC):
    """A network in two stages: single spectra, then neighbours.

    Training runs both stages on patches. Mapping a scene runs `spectra` once per pixel and gathers
    its features into patches, which is s² times less work with the same result. A network without
    a purely spectral first part returns the pixels as they are.

    Most networks keep rows and columns, and then nothing is to be said about it. One that wears
    the border away or strides says in `output_size` what it leaves: laps, head and classifier see
    that map.

    Attributes:
        n_bands: Bands that the network was built for.
        n_features: Channels of what `patches` returns.
        options: Names of the keyword arguments that a recipe may set.
        sized: Whether the network is built for one size of patches, and takes `patch_size` as well.
    """

    options: ClassVar[tuple[str, ...]] = ()
    sized: ClassVar[bool] = False
    n_bands: int
    n_features: int

    @abstractmethod
    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """Features of single spectra."""

    @abstractmethod
    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row_left col_left"]:
        """Features of pixels among their neighbours."""

    def output_size(self, patch_size: int) -> int:
        """Side of the map that `patches` makes of a patch: its own if the size is kept."""
        return patch_size

    def prepare(
        self, patches: Iterable[Float[Tensor, "n row col band"]], *, generator: torch.Generator
    ) -> None:
        """Sets what depends on the training patches before the first step; most need nothing.

        Args:
            patches: All training patches, some at a time.
            generator: Of everything random; on the CPU.
        """

    def forward(
        self, patches: Float[Tensor, "n row col band"]
    ) -> Float[Tensor, "n feature row_left col_left"]:
        """Both stages on whole patches.

        Raises:
            InvalidInputError: If the patches have another number of bands than the network.
        """
        n, rows, cols, bands = patches.shape
        if bands != self.n_bands:
            raise InvalidInputError(
                f"the network was built for {self.n_bands} bands, got patches with {bands}; "
                "select the same bands as in training"
            )
        features = self.spectra(patches.reshape(n * rows * cols, bands))
        return self.patches(features.view(n, rows, cols, -1).permute(0, 3, 1, 2))


BACKBONES: Registry[type[Backbone]] = Registry("backbone", "pdml.embeddings.backbones")
