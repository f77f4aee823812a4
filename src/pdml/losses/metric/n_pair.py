"""The N-pair loss of Sohn (2016), through pytorch-metric-learning.

One random pair of samples of every class: each anchor must find its own positive among those of all
classes, by their dot products. As a batch of patches holds many more samples than one pair per
class, pairs are drawn several times. As in the article, squared norms are kept small.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pdml.losses.members import Members, as_points
from pdml.losses.metric_loss import METRIC_LOSSES, MetricLoss, require_positive
from pdml.losses.reduction import Reduction
from pdml.optional import require


@METRIC_LOSSES.register
class NPair(MetricLoss):
    """Mean cross-entropy of finding the positive of one's own class.

    Args:
        reduction: Without effect: the mean over the drawn pairs, whatever the reduction.
        rounds: How many times a pair of every class is drawn.
        norm_weight: Weight of the mean squared norm of the drawn samples.

    Raises:
        UnknownNameError: If the reduction does not exist.
        InvalidInputError: If an option is not positive.
        MissingExtraError: If pytorch-metric-learning is not installed.
    """

    draws: ClassVar[bool] = True

    def __init__(
        self, *, reduction: Reduction = "mean", rounds: int = 8, norm_weight: float = 0.002
    ) -> None:
        super().__init__(reduction=reduction)
        require_positive(rounds=rounds, norm_weight=norm_weight)
        distances = require("pytorch_metric_learning.distances", extra="metric")
        losses = require("pytorch_metric_learning.losses", extra="metric")
        regularizers = require("pytorch_metric_learning.regularizers", extra="metric")
        self.rounds = rounds
        self.norm_weight = norm_weight
        self.pairs = losses.NPairsLoss(
            # By default the library takes cosines, which are not the article's dot products.
            distance=distances.DotProductSimilarity(normalize_embeddings=False),
            embedding_regularizer=regularizers.LpRegularizer(power=2),
            embedding_reg_weight=norm_weight,
        )

    def forward(
        self,
        samples: Float[Tensor, "pixel sample feature"],
        classes: Int[Tensor, " pixel"],
    ) -> Float[Tensor, ""]:
        """Mean over the rounds; zero if no class has two samples."""
        points, of_points = as_points(samples, classes)
        members = Members.of(of_points)
        if not (members.count > 1).any():
            return 0 * samples.sum()
        rounds = []
        for _ in range(self.rounds):
            drawn = torch.cat(members.draw_pairs())
            rounds.append(self.pairs(points[drawn], of_points[drawn]))
        return torch.stack(rounds).mean()
