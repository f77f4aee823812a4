"""The triplet loss of Schroff et al. (2015), with random or semi-hard negatives.

Each sample is an anchor a few times, each time with a random other sample of its class. Random: the
negative is any sample of another class. Semi-hard: any that is farther than the positive, by less
than the margin; without one the triplet counts as zero.
"""

from __future__ import annotations

from typing import ClassVar, Literal, get_args

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import pairwise_distance, triplet_margin_loss

from pdml.errors import unknown_name
from pdml.losses.members import Members, as_points, random_below
from pdml.losses.metric_loss import METRIC_LOSSES, MetricLoss, require_positive
from pdml.losses.reduction import Reduction

Sampling = Literal["random", "semihard"]

ANCHORS_AT_ONCE = 512
"""Anchors whose distances to all points are in memory at a time."""

Triplets = tuple[Int[Tensor, " triplet"], Int[Tensor, " triplet"], Int[Tensor, " triplet"]]


@METRIC_LOSSES.register
class Triplet(MetricLoss):
    """Asks that a negative be farther than a positive by a margin.

    Args:
        reduction: Without effect: the mean over the drawn triplets, whatever the reduction.
        margin: By how much.
        sampling: How negatives are drawn.
        triplets_per_anchor: Triplets of each sample.

    Raises:
        UnknownNameError: If reduction or sampling do not exist.
        InvalidInputError: If margin or number are not positive.
    """

    draws: ClassVar[bool] = True

    def __init__(
        self,
        *,
        reduction: Reduction = "mean",
        margin: float = 1.0,
        sampling: Sampling = "random",
        triplets_per_anchor: int = 1,
    ) -> None:
        super().__init__(reduction=reduction)
        require_positive(margin=margin, triplets_per_anchor=triplets_per_anchor)
        if sampling not in get_args(Sampling):
            raise unknown_name("sampling", sampling, get_args(Sampling))
        self.margin = margin
        self.sampling: Sampling = sampling
        self.triplets_per_anchor = triplets_per_anchor

    def forward(
        self,
        samples: Float[Tensor, "pixel sample feature"],
        classes: Int[Tensor, " pixel"],
    ) -> Float[Tensor, ""]:
        """Mean over the drawn triplets; zero without a positive or a second class."""
        points, of_points = as_points(samples, classes)
        members = Members.of(of_points)
        anchors, positives = members.draw_positives(self.triplets_per_anchor)
        n_drawn = len(anchors)
        if len(members.count) < 2 or n_drawn == 0:
            return 0 * samples.sum()
        if self.sampling == "random":
            triplets = (anchors, positives, members.draw_negatives(of_points, anchors))
        else:
            triplets = self._semi_hard(points.detach(), of_points, anchors, positives)
        anchor, positive, negative = (points[index] for index in triplets)
        total = triplet_margin_loss(anchor, positive, negative, margin=self.margin, reduction="sum")
        return total / n_drawn

    def _semi_hard(
        self,
        points: Float[Tensor, "point feature"],
        classes: Int[Tensor, " point"],
        anchors: Int[Tensor, " pair"],
        positives: Int[Tensor, " pair"],
    ) -> Triplets:
        """The pairs for which there is a semi-hard negative, with a random one of those."""
        parts = []
        for some, with_some in zip(
            torch.split(anchors, ANCHORS_AT_ONCE),
            torch.split(positives, ANCHORS_AT_ONCE),
            strict=True,
        ):
            to_positive = pairwise_distance(points[some], points[with_some])[:, None]
            distance = torch.cdist(points[some], points)
            fits = (distance > to_positive) & (distance < to_positive + self.margin)
            fits &= classes[some][:, None] != classes[None, :]
            counted = fits.cumsum(dim=1, dtype=torch.int32)
            found = counted[:, -1] > 0
            # The n-th that fits, for a random n: several times faster than torch.multinomial.
            number = 1 + random_below(counted[found, -1]).to(torch.int32)
            negatives = torch.searchsorted(counted[found], number[:, None]).squeeze(1)
            parts.append((some[found], with_some[found], negatives))
        anchor, positive, negative = (torch.cat(part) for part in zip(*parts, strict=True))
        return anchor, positive, negative
