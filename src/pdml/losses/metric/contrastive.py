"""The contrastive loss with squared distances and a squared hinge, as the paper writes it (Eq. 10).

Pixels of one class are drawn together by their squared distance, pixels of different classes are
pushed apart up to a margin. (The paper's text says that it punishes negative pairs for being
*farther* than the margin; its formula, followed here, punishes them for being nearer.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pdml.losses.metric_loss import METRIC_LOSSES, MetricLoss, require_positive
from pdml.losses.pair_tiles import PairTile, TileGradient, tiled_pair_loss
from pdml.losses.pair_weights import Balance, pair_weights, require_balance
from pdml.losses.reduction import Reduction


@dataclass(frozen=True)
class ContrastiveTile:
    """The loss of a tile of pairs, averaged over the pairs of samples of two pixels.

    Attributes:
        margin: Distance from which on two classes are far enough apart (beta).
    """

    margin: float

    def __call__(
        self, tile: PairTile, parameters: Sequence[Float[Tensor, ""]], *, with_gradient: bool
    ) -> tuple[Float[Tensor, ""], TileGradient | None]:
        """The weighted loss and its slope with respect to squared distances."""
        n_pairs = tile.squared.shape[0] * tile.squared.shape[2]
        weight = (tile.weight / n_pairs)[None, :, None, :]
        same = tile.same[None, :, None, :]
        distance = tile.squared.sqrt()
        missing = torch.relu(self.margin - distance)
        loss = (weight * torch.where(same, tile.squared, missing.square())).sum()
        if not with_gradient:
            return loss, None
        slope = weight * torch.where(same, 1.0, -missing / distance)
        return loss, TileGradient(slope, loss.new_ones(()), ())


@METRIC_LOSSES.register
class Contrastive(MetricLoss):
    """Squared distance within a class, squared lack of distance between classes.

    Args:
        reduction: `paper` divides the sum by the number of pixels, `mean` by that of pairs.
        margin: Distance from which on two classes are far enough apart (beta).
        balance: `posneg` lets pairs of the same class weigh as much as all the others together.

    Raises:
        UnknownNameError: If reduction or balance do not exist.
        InvalidInputError: If the margin is not positive, or pairs are to be balanced in a sum.
    """

    def __init__(
        self, *, reduction: Reduction = "mean", margin: float = 1.0, balance: Balance = "none"
    ) -> None:
        super().__init__(reduction=reduction)
        require_positive(margin=margin)
        require_balance(balance, reduction)
        self.balance: Balance = balance
        self.margin = margin

    def forward(
        self,
        samples: Float[Tensor, "pixel sample feature"],
        classes: Int[Tensor, " pixel"],
    ) -> Float[Tensor, ""]:
        """Loss of all pairs of pixels; zero for a single pixel."""
        weights = pair_weights(classes, reduction=self.reduction, balance=self.balance)
        return tiled_pair_loss(samples, classes, ContrastiveTile(self.margin), weights=weights)
