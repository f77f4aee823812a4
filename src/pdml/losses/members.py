"""Which points belong to which class, so that pairs and triplets can be drawn in one step each.

A loss over all triplets of 400 pixels with 3 samples each would see hundreds of millions. Drawn
ones come from the global random state, which a checkpoint holds.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor


def as_points(
    samples: Float[Tensor, "pixel sample feature"],
    classes: Int[Tensor, " pixel"],
    *,
    most: int | None = None,
) -> tuple[Float[Tensor, "point feature"], Int[Tensor, " point"]]:
    """Every sample as a point with the class of its pixel; random ones if there are too many."""
    points = samples.flatten(0, 1)
    of_points = classes.repeat_interleave(samples.shape[1])
    if most is not None and len(points) > most:
        chosen = torch.randperm(len(points), device=points.device)[:most]
        return points[chosen], of_points[chosen]
    return points, of_points


@dataclass(frozen=True)
class Members:
    """The points of each class, as slices of one order.

    Attributes:
        order: Points sorted by class.
        first: Where the points of each class begin in `order`.
        count: How many points each class has.
        of_point: Which class, counted from 0, each point of `order` is of.
    """

    order: Int[Tensor, " point"]
    first: Int[Tensor, " class_"]
    count: Int[Tensor, " class_"]
    of_point: Int[Tensor, " point"]

    @classmethod
    def of(cls, classes: Int[Tensor, " point"]) -> Members:
        """Sorts points by class."""
        order = torch.argsort(classes, stable=True)
        _, number, count = torch.unique(classes, return_inverse=True, return_counts=True)
        return cls(order, count.cumsum(0) - count, count, number[order])

    def draw_pairs(self) -> tuple[Int[Tensor, " pair"], Int[Tensor, " pair"]]:
        """Two different points of every class that has two, any two as likely as any others."""
        count = self.count[self.count > 1]
        first = self.first[self.count > 1]
        one = random_below(count)
        other = (one + 1 + random_below(count - 1)) % count
        return self.order[first + one], self.order[first + other]

    def draw_positives(self, times: int) -> tuple[Int[Tensor, " pair"], Int[Tensor, " pair"]]:
        """Every point as an anchor, `times` times, each with a random other point of its class.

        A point that is alone in its class is left out.
        """
        position = torch.arange(len(self.order), device=self.order.device)
        count, first = self.count[self.of_point], self.first[self.of_point]
        with_others = (count > 1).repeat(times)
        count, first = count.repeat(times)[with_others], first.repeat(times)[with_others]
        anchor = position.repeat(times)[with_others]
        other = first + (anchor - first + 1 + random_below(count - 1)) % count
        return self.order[anchor], self.order[other]

    def draw_negatives(
        self, classes: Int[Tensor, " point"], anchors: Int[Tensor, " anchor"]
    ) -> Int[Tensor, " anchor"]:
        """A random point of another class for each anchor; there must be two classes."""
        number = torch.unique(classes, return_inverse=True)[1][anchors]
        count, first = self.count[number], self.first[number]
        position = random_below(len(self.order) - count)
        return self.order[torch.where(position >= first, position + count, position)]


def random_below(bound: Int[Tensor, " n"]) -> Int[Tensor, " n"]:
    """Random whole numbers from 0 to each bound less one."""
    drawn = (torch.rand(bound.shape, dtype=torch.float64, device=bound.device) * bound).long()
    return torch.minimum(drawn, bound - 1)
