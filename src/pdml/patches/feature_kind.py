"""What a kind of features is: images that are made of each principal component of a whole scene."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float, Float64

from pdml.errors import InvalidInputError, unknown_name
from pdml.registry import Registry

NO_FEATURES = "bands"
"""What a recipe says when the network sees the scene as it is."""


@dataclass(frozen=True)
class FeatureKind(ABC):
    """A kind of features with its options, which are the fields of its class.

    Attributes:
        keeps_bands: Whether the bands come before the channels.
        n_components: Principal components that channels are made of.
    """

    keeps_bands: ClassVar[bool] = False
    n_components: int = 4

    def __post_init__(self) -> None:
        require_count("n_components", self.n_components)
        self.require_options()

    def require_options(self) -> None:  # noqa: B027 - most kinds have no more options to check
        """Checks the options, but for the number of components.

        Raises:
            InvalidInputError: If one of them cannot be.
        """

    def require_packages(self) -> None:  # noqa: B027 - most kinds need none
        """Checks that what computes the features is installed.

        Raises:
            MissingExtraError: If it is not.
        """

    @property
    @abstractmethod
    def per_component(self) -> int:
        """Channels that are made of one component, itself among them."""

    @abstractmethod
    def channels(
        self, component: Float64[np.ndarray, "row col"]
    ) -> Float[np.ndarray, "channel row col"]:
        """The channels of one component.

        Args:
            component: The component over the whole scene, from 0 to 1 in the pixels that were
                fitted; others may lie outside.
        """

    def n_channels(self, n_bands: int) -> int:
        """Channels of a scene with so many bands.

        Raises:
            InvalidInputError: If it has fewer bands than components are asked for.
        """
        if self.n_components > n_bands:
            raise InvalidInputError(
                f"n_components of feature_options must be at most the number of bands, got "
                f"{self.n_components} for {n_bands} bands; try n_components = {n_bands}"
            )
        return self.n_components * self.per_component + (n_bands if self.keeps_bands else 0)

    def to_dict(self) -> dict[str, Any]:
        """All options as plain values, the same before and after they were JSON."""
        options = dataclasses.asdict(self)
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in options.items()
        }


FEATURES: Registry[type[FeatureKind]] = Registry("feature", "pdml.patches.features")


def feature_kind(name: str, options: Mapping[str, Any]) -> FeatureKind:
    """A kind of features by its name.

    Raises:
        UnknownNameError: If there is no such kind, or it has no such option.
        InvalidInputError: If an option cannot be.
    """
    if name not in FEATURES.names():
        raise unknown_name("value of features", name, [NO_FEATURES, *FEATURES.names()])
    kind = FEATURES.get(name)
    known = [option.name for option in dataclasses.fields(kind)]
    for option in options:
        if option not in known:
            raise unknown_name(f"option of features '{name}'", option, known)
    return kind(**options)


def require_count(name: str, value: object) -> None:
    """Checks that an option is a whole number above 0.

    Raises:
        InvalidInputError: If it is not.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InvalidInputError(
            f"{name} of feature_options must be a whole number of at least 1, got {value!r}"
        )


def require_numbers(name: str, values: object) -> None:
    """Checks that an option is a list of numbers above 0.

    Raises:
        InvalidInputError: If it is not.
    """
    if (
        not isinstance(values, Sequence)
        or isinstance(values, str)
        or not all(map(_is_size, values))
    ):
        raise InvalidInputError(
            f"{name} of feature_options must be a list of numbers above 0, got {values!r}"
        )


def _is_size(value: object) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return 0 < value < float("inf")
