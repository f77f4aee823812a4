"""Attention that can be switched into any backbone: gates on the features that it returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from pdml.embeddings.backbone import Backbone
from pdml.registry import Registry

NO_ATTENTION = "none"


class Attention(nn.Module, ABC):
    """Weighs features of a map by numbers from 0 to 1.

    Args:
        n_features: Channels of the map.
    """

    def __init__(self, *, n_features: int) -> None:
        super().__init__()
        self.n_features = n_features

    @abstractmethod
    def forward(
        self, features: Float[Tensor, "n feature row col"]
    ) -> Float[Tensor, "n feature row col"]:
        """The map, weighed."""


class AttendedBackbone(Backbone):
    """A backbone whose features go through an attention module.

    The module follows the second stage: what a patch is weighed by may depend on all of the patch,
    and the first stage sees single spectra.

    Args:
        backbone: The network.
        attention: What follows it.
    """

    def __init__(self, backbone: Backbone, attention: Attention) -> None:
        super().__init__()
        self.n_bands = backbone.n_bands
        self.n_features = backbone.n_features
        self.inner = backbone
        self.attention = attention

    def output_size(self, patch_size: int) -> int:
        """That of the network."""
        return self.inner.output_size(patch_size)

    def prepare(
        self, patches: Iterable[Float[Tensor, "n row col band"]], *, generator: torch.Generator
    ) -> None:
        """Prepares the network."""
        self.inner.prepare(patches, generator=generator)

    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """The network's first stage."""
        return self.inner.spectra(pixels)

    def patches(
        self, features: Float[Tensor, "n channel row col"]
    ) -> Float[Tensor, "n feature row_left col_left"]:
        """The network's second stage, weighed."""
        weighed: Tensor = self.attention(self.inner.patches(features))
        return weighed


ATTENTIONS: Registry[type[Attention]] = Registry("attention", "pdml.embeddings.attentions")
