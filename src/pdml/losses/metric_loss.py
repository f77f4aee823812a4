"""`MetricLoss`: what a loss over samples of pixels takes and returns, and where it is found."""

from __future__ import annotations

from abc import ABC, abstractmethod

from jaxtyping import Float, Int
from torch import Tensor, nn

from pdml.losses.reduction import Reduction, require_reduction
from pdml.registry import Registry


class MetricLoss(nn.Module, ABC):
    """A loss that draws pixels of one class together and pushes classes apart.

    Args:
        reduction: `mean` averages over what the loss sums; `paper` sums as the paper does.

    Raises:
        UnknownNameError: If the reduction does not exist.
    """

    def __init__(self, *, reduction: Reduction = "mean") -> None:
        super().__init__()
        require_reduction(reduction)
        self.reduction = reduction

    def start(self, samples: Float[Tensor, "pixel sample feature"]) -> None:
        """Sets learnable parameters from a first batch; a loss without any has nothing to do."""

    @abstractmethod
    def forward(
        self,
        samples: Float[Tensor, "pixel sample feature"],
        classes: Int[Tensor, " pixel"],
    ) -> Float[Tensor, ""]:
        """The loss of all pixels of a batch, each with one or more samples and a class."""


METRIC_LOSSES: Registry[type[MetricLoss]] = Registry("loss", "pdml.losses.metric")
