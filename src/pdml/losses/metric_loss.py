"""`MetricLoss`: what a loss over samples of pixels takes and returns, and where it is found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from jaxtyping import Float, Int
from torch import Tensor, nn

from pdml.errors import InvalidInputError
from pdml.losses.reduction import Reduction, require_reduction
from pdml.registry import Registry


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

    @abstractmethod
    def forward(
        self,
        samples: Float[Tensor, "pixel sample feature"],
        classes: Int[Tensor, " pixel"],
    ) -> Float[Tensor, ""]:
        """The loss of all pixels of a batch, each with one or more samples and a class."""


def require_positive(**options: float) -> None:
    """Refuses an option of a loss that is zero or less.

    Raises:
        InvalidInputError: With its name.
    """
    for name, value in options.items():
        if not value > 0:
            raise InvalidInputError(f"{name} of a metric loss must be above 0, got {value}")


METRIC_LOSSES: Registry[type[MetricLoss]] = Registry("loss", "pdml.losses.metric")
