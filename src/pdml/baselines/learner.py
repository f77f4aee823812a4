"""`Learner`: a classical classifier of flattened patches, fitted in one go and kept as arrays.

What was learnt are the buffers of a module. So it is stored as safetensors like the weights of a
network, is read back without running code, and maps scenes tile by tile as a network does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float, Int
from torch import Tensor, nn

from pdml.errors import InvalidInputError, unknown_name


@dataclass(frozen=True)
class Examples:
    """What a classical classifier learns from.

    Attributes:
        x: Flattened training patches.
        classes: Their classes, 0 to K-1; not every class need be there.
        n_classes: K.
    """

    x: Float[np.ndarray, "n value"]
    classes: Int[np.ndarray, " n"]
    n_classes: int


class Learner(nn.Module, ABC):
    """A classifier of flattened patches, built empty for buffers of given sizes.

    Attributes:
        options: Options of the fit with their defaults, which also say their types.
        has_probability: Whether it gives probabilities.
        sizes: What it must be built with to hold what was learnt: names and whole numbers.
    """

    options: ClassVar[Mapping[str, Any]] = {}
    has_probability: ClassVar[bool] = False
    sizes: dict[str, int]

    @classmethod
    @abstractmethod
    def fit(
        cls, examples: Examples, *, seed: int, options: Mapping[str, Any], keep: Path | None
    ) -> Self:
        """Learns.

        Args:
            examples: Training patches with their classes.
            seed: Of everything random.
            options: All options.
            keep: A file for what would take long to find again, if there is a folder for it.
        """

    @abstractmethod
    def forward(self, x: Float[Tensor, "n value"]) -> Float[Tensor, "n class_"]:
        """Logarithms of probabilities; of one class 0 and of the others minus infinity without."""


def checked_options(kind: type[Learner], given: Mapping[str, Any]) -> dict[str, Any]:
    """All options of a classifier: those given, the others as they are by default.

    Raises:
        UnknownNameError: If there is no such option.
        InvalidInputError: If a value is of another type than its default, or is not above 0.
    """
    for name, value in given.items():
        if name not in kind.options:
            raise unknown_name("learner option", name, kind.options)
        expected = type(kind.options[name])
        accepted = (int, float) if expected is float else expected
        if not isinstance(value, accepted) or isinstance(value, bool) or value < 0:
            raise InvalidInputError(
                f"the learner option {name} must be a number of type {expected.__name__} and not "
                f"below 0, got {value!r}"
            )
    return {**kind.options, **given}
