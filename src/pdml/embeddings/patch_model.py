"""`PatchModel`: what maps and scores need of a model, whatever is inside it.

A network is one, and so is a classical classifier of patches: both look at single spectra first and
at patches of what that gave then.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any

from jaxtyping import Float
from torch import Tensor, nn

from pdml.embeddings.gaussian import GaussianEmbedding
from pdml.errors import InvalidInputError


@dataclass(frozen=True)
class PatchSpec:
    """The sizes that every model of patches has.

    Attributes:
        n_bands: Bands of the scene, or channels of its features.
        n_classes: Number of classes.
        patch_size: Side of a patch.
        n_components: Principal components that stand for the bands; 0 if the bands do themselves.
    """

    n_bands: int
    n_classes: int
    patch_size: int = 5
    n_components: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


class PatchModel(nn.Module, ABC):
    """Patches in; embeddings of their pixels and log-probabilities of the centre's classes out.

    Attributes:
        spec: What it is built from.
    """

    spec: PatchSpec

    @property
    def has_variance(self) -> bool:
        """Whether its embeddings have a variance."""
        return False

    @property
    def has_probability(self) -> bool:
        """Whether it gives probabilities; else 1 for the class that it chooses and 0 for others."""
        return True

    @property
    def in_double(self) -> bool:
        """Whether it takes standardised values in double precision."""
        return False

    @property
    def averages_symmetries(self) -> bool:
        """Whether predictions are averages over the 8 turns and reflections of a patch."""
        return False

    @property
    @abstractmethod
    def n_values(self) -> int:
        """Number of values that were learnt."""

    @abstractmethod
    def spectra(self, pixels: Float[Tensor, "pixel band"]) -> Float[Tensor, "pixel feature"]:
        """Features of single spectra."""

    @abstractmethod
    def from_spectra(
        self, features: Float[Tensor, "n row col channel"]
    ) -> tuple[GaussianEmbedding, Float[Tensor, "n class_"]]:
        """Embeddings and logits, from what `spectra` gave for each pixel of some patches."""


def require_bands(model: PatchModel, n_bands: int) -> None:
    """Checks that a scene has the bands that the model was trained on.

    Raises:
        InvalidInputError: If not; both numbers are in the message.
    """
    if model.spec.n_bands != n_bands:
        raise InvalidInputError(
            f"the scene must have the bands that the model was trained on: the model has "
            f"{model.spec.n_bands}, the scene has {n_bands}; select the same bands or train anew"
        )
