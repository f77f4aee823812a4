"""The margin loss with distance-weighted sampling of Wu et al. (2017), by pytorch-metric-learning.

Embeddings are brought to unit length. Negatives are drawn with a probability that undoes how rare
their distance is on the sphere, so that all distances are seen; positives farther than a boundary
and negatives nearer than it are punished, both with a margin.
"""

from __future__ import annotations

from typing import ClassVar

from jaxtyping import Float, Int
from torch import Tensor

from pdml.losses.members import as_points
from pdml.losses.metric_loss import METRIC_LOSSES, MetricLoss, require_positive
from pdml.losses.reduction import Reduction
from pdml.optional import require


@METRIC_LOSSES.register
class Margin(MetricLoss):
    """Mean over the pairs of drawn triplets that violate the boundary.

    Args:
        reduction: Without effect: the mean over violations, whatever the reduction.
        margin: Room on both sides of the boundary (alpha of the article).
        boundary: Distance between positives and negatives (beta of the article).
        cutoff: Distances below it are drawn as if they were it.
        most_points: Samples of a batch that are looked at; the others are left out at random, as
            there are as many triplets of an anchor as it has positives.

    Raises:
        UnknownNameError: If the reduction does not exist.
        InvalidInputError: If an option is not positive.
        MissingExtraError: If pytorch-metric-learning is not installed.
    """

    draws: ClassVar[bool] = True

    def __init__(
        self,
        *,
        reduction: Reduction = "mean",
        margin: float = 0.2,
        boundary: float = 1.2,
        cutoff: float = 0.5,
        most_points: int = 256,
    ) -> None:
        super().__init__(reduction=reduction)
        require_positive(margin=margin, boundary=boundary, cutoff=cutoff, most_points=most_points)
        losses = require("pytorch_metric_learning.losses", extra="metric")
        miners = require("pytorch_metric_learning.miners", extra="metric")
        self.most_points = most_points
        self.triplets = losses.MarginLoss(margin=margin, beta=boundary)
        self.miner = miners.DistanceWeightedMiner(
            cutoff=cutoff, nonzero_loss_cutoff=boundary + margin
        )

    def forward(
        self,
        samples: Float[Tensor, "pixel sample feature"],
        classes: Int[Tensor, " pixel"],
    ) -> Float[Tensor, ""]:
        """The loss of the triplets that are drawn; zero for a single class."""
        points, of_points = as_points(samples, classes, most=self.most_points)
        loss: Tensor = self.triplets(points, of_points, self.miner(points, of_points))
        return loss
