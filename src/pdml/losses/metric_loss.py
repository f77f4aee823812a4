"""`MetricLoss`: what a loss over samples of pixels takes and returns, and where it is found."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

from jaxtyping import Float, Int
from torch import Tensor, nn

from pdml.errors import InvalidInputError, unknown_name
from pdml.losses.reduction import Reduction, require_reduction
from pdml.registry import Registry

GIVEN = ("reduction", "n_features", "n_classes")
"""Arguments of a loss that the objective gives, and that are no options of a recipe."""


class MetricLoss(nn.Module, ABC):
    """A loss that draws pixels of one class together and pushes classes apart.

    Args:
        reduction: `mean` averages over what the loss sums; `paper` sums as the paper does.

    Attributes:
        draws: Whether pairs or triplets are drawn, from the global random state.

    Raises:
        UnknownNameError: If the reduction does not exist.
    """

    draws: ClassVar[bool] = False

    def __init__(self, *, reduction: Reduction = "mean") -> None:
        super().__init__()
        require_reduction(reduction)
        self.reduction = reduction

    @classmethod
    def build(cls, *, n_features: int, n_classes: int, **options: Any) -> MetricLoss:
        """The loss for an embedding of so many features and classes.

        Most losses need neither; one that has weights of these sizes takes them here.
        """
        return cls(**options)

    def start(self, samples: Float[Tensor, "pixel sample feature"]) -> None:
        """Sets learnable parameters from a first batch; a loss without any has nothing to do."""

    @property
    def match(self) -> tuple[float, float] | None:
        """Slope and threshold of a match probability, for a loss that learns one."""
        return None

    @abstractmethod
    def forward(
        self,
        samples: Float[Tensor, "pixel sample feature"],
        classes: Int[Tensor, " pixel"],
    ) -> Float[Tensor, ""]:
        """The loss of all pixels of a batch, each with one or more samples and a class."""


def require_options(kind: type[MetricLoss], options: Iterable[str]) -> None:
    """Refuses options that a loss does not have.

    Raises:
        UnknownNameError: With the nearest one.
    """
    known = [name for name in inspect.signature(kind).parameters if name not in GIVEN]
    for name in options:
        if name not in known:
            loss = kind.__module__.rpartition(".")[2]
            raise unknown_name(f"option of {loss}", name, known)


def require_positive(**options: float) -> None:
    """Refuses an option of a loss that is zero or less.

    Raises:
        InvalidInputError: With its name.
    """
    for name, value in options.items():
        if not value > 0:
            raise InvalidInputError(f"{name} of a metric loss must be above 0, got {value}")


METRIC_LOSSES: Registry[type[MetricLoss]] = Registry("loss", "pdml.losses.metric")
