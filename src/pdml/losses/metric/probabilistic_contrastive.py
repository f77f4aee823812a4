"""The paper's loss: the log-probability that two pixels match, over all pairs of a batch."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from pdml.losses.match_loss import match_loss
from pdml.losses.match_probability import match_start
from pdml.losses.metric_loss import METRIC_LOSSES, MetricLoss
from pdml.losses.pair_weights import Balance, pair_weights, require_balance
from pdml.losses.reduction import Reduction


@METRIC_LOSSES.register
class ProbabilisticContrastive(MetricLoss):
    """Negative log-probability of what is true of each pair of pixels (Eqs. 11 to 14).

    All unordered pairs of different pixels count, also those of one patch. The slope a of the match
    probability is learned through its logarithm, which keeps it positive.

    Args:
        reduction: `paper` divides the sum by the number of pixels, `mean` by that of pairs.
        balance: `posneg` lets pairs of the same class weigh as much as all the others together.

    Raises:
        UnknownNameError: If reduction or balance do not exist.
        InvalidInputError: If pairs are to be balanced in the paper's sum.
    """

    def __init__(self, *, reduction: Reduction = "mean", balance: Balance = "none") -> None:
        super().__init__(reduction=reduction)
        require_balance(balance, reduction)
        self.balance: Balance = balance
        self.log_a = nn.Parameter(torch.zeros(()))
        self.b = nn.Parameter(torch.zeros(()))

    @torch.no_grad()
    def start(self, samples: Float[Tensor, "pixel sample feature"]) -> None:
        """Sets a and b so that the match probability is 0.5 at the median distance."""
        a, b = match_start(samples)
        self.log_a.fill_(a).log_()
        self.b.fill_(b)

    @property
    def match(self) -> tuple[float, float]:
        """The learnt a and b."""
        return float(self.log_a.detach().exp()), float(self.b.detach())

    def forward(
        self,
        samples: Float[Tensor, "pixel sample feature"],
        classes: Int[Tensor, " pixel"],
    ) -> Float[Tensor, ""]:
        """Loss of all pairs of pixels; zero for a single pixel."""
        weights = pair_weights(classes, reduction=self.reduction, balance=self.balance)
        a, b = self.log_a.exp().to(samples.dtype), self.b.to(samples.dtype)
        return match_loss(samples, classes, a, b, weights=weights)
