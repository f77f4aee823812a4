"""The multi-similarity loss of Wang et al. (2019), by pytorch-metric-learning.

Pairs are chosen and weighted by their cosine similarity: those of a class that are less alike than
the most similar stranger, and strangers that are more alike than the least similar of the class.
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
class MultiSimilarity(MetricLoss):
    """Mean over the samples of a batch.

    Args:
        reduction: Without effect: the mean over the samples, whatever the reduction.
        positive_scale: How sharply unlike pairs of a class are weighted (alpha of the article).
        negative_scale: How sharply alike pairs of strangers are weighted (beta of the article).
        base: Similarity that divides the two (lambda of the article).
        epsilon: Room in the choice of pairs.
        most_points: Samples of a batch that are looked at; the others are left out at random.

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
        positive_scale: float = 2.0,
        negative_scale: float = 50.0,
        base: float = 0.5,
        epsilon: float = 0.1,
        most_points: int = 400,
    ) -> None:
        super().__init__(reduction=reduction)
        require_positive(
            positive_scale=positive_scale,
            negative_scale=negative_scale,
            base=base,
            epsilon=epsilon,
            most_points=most_points,
        )
        losses = require("pytorch_metric_learning.losses", extra="metric")
        miners = require("pytorch_metric_learning.miners", extra="metric")
        self.most_points = most_points
        self.pairs = losses.MultiSimilarityLoss(
            alpha=positive_scale, beta=negative_scale, base=base
        )
        self.miner = miners.MultiSimilarityMiner(epsilon=epsilon)

    def forward(
        self,
        samples: Float[Tensor, "pixel sample feature"],
        classes: Int[Tensor, " pixel"],
    ) -> Float[Tensor, ""]:
        """The loss of the pairs that are chosen."""
        points, of_points = as_points(samples, classes, most=self.most_points)
        loss: Tensor = self.pairs(points, of_points, self.miner(points, of_points))
        return loss
