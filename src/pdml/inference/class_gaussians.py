"""Where training pixels lie in the embedding: a Gaussian per class, and the pixels themselves."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

MOST_POINTS = 1000
"""Training pixels that are kept of each class."""


@dataclass(frozen=True)
class ClassGaussians:
    """A Gaussian per class, fitted to the embeddings of its training pixels, and these themselves.

    Attributes:
        mean: Mean of the pixels' means.
        variance: Variance of the pixels' means plus the mean of the pixels' own variances.
        count: Number of training pixels; a class without any is at no distance.
        match: Slope a and threshold b of the match probability that were learnt with the embedding;
            None where none were.
        points: Means of training pixels, class after class; None where they are not known.
        n_points: How many of them each class has.
    """

    mean: Float[Tensor, "class_ feature"]
    variance: Float[Tensor, "class_ feature"]
    count: Int[Tensor, " class_"]
    match: tuple[float, float] | None = None
    points: Float[Tensor, "point feature"] | None = None
    n_points: Int[Tensor, " class_"] | None = None

    @property
    def radius(self) -> float:
        """Root mean squared distance of a training pixel from the mean of its class.

        One for all classes: a class of few pixels has no radius of its own.
        """
        squared = (self.variance.sum(dim=1) * self.count).sum() / self.count.sum()
        return float(squared.sqrt().clamp_min(torch.finfo(torch.float32).tiny))

    def distances(self, points: Float[Tensor, "n feature"]) -> Float[Tensor, "n class_"]:
        """Distance of points to the mean of each class; infinite to one without pixels.

        By differences, not by a product of matrices, whose last bits depend on the batch.
        """
        difference = points[:, None] - self.mean.to(points.device)
        distance = difference.square().sum(dim=2).sqrt()
        return distance.masked_fill(self.count.to(points.device) == 0, torch.inf)

    def nearest_point(self, points: Float[Tensor, "n feature"]) -> Float[Tensor, "n class_"] | None:
        """Distance of points to the nearest training pixel of each class; None without any."""
        if self.points is None or self.n_points is None:
            return None
        known = self.points.to(points.device)
        with torch.autocast(points.device.type, enabled=False):
            squared = torch.addmm(known.square().sum(dim=1)[:, None], known, points.T, alpha=-2)
        nearest = [
            part.amin(dim=0) if len(part) else part.new_full((len(points),), torch.inf)
            for part in torch.split(squared, self.n_points.tolist())
        ]
        own = points.square().sum(dim=1, keepdim=True)
        return (torch.stack(nearest, dim=1) + own).clamp_min(0).sqrt()


def class_gaussians(
    mean: Float[Tensor, "n feature"],
    variance: Float[Tensor, " n"] | None,
    classes: Int[Tensor, " n"],
    *,
    n_classes: int,
    match: tuple[float, float] | None = None,
) -> ClassGaussians:
    """Fits a Gaussian to the embeddings of each class.

    Args:
        mean: Means of training pixels.
        variance: Their variances averaged over coordinates; None for point embeddings.
        classes: Their classes.
        n_classes: Number of classes.
        match: The learnt a and b.
    """
    members = torch.nn.functional.one_hot(classes, n_classes).double()
    count = members.sum(dim=0)
    shares = (members / count.clamp_min(1)).T
    points = mean.double()
    centre = shares @ points
    spread = shares @ (points - centre[classes]).square()
    if variance is not None:
        spread = spread + (shares @ variance.double())[:, None]
    kept = torch.cat([_thinned((classes == k).nonzero().squeeze(1)) for k in range(n_classes)])
    return ClassGaussians(
        centre.float().cpu(),
        spread.float().cpu(),
        count.long().cpu(),
        match,
        mean[kept].float().cpu(),
        torch.bincount(classes[kept], minlength=n_classes).cpu(),
    )


def _thinned(rows: Int[Tensor, " n"]) -> Int[Tensor, " kept"]:
    """All of some rows, or as many as are kept, evenly spread."""
    if len(rows) <= MOST_POINTS:
        return rows
    return rows[torch.linspace(0, len(rows) - 1, MOST_POINTS, device=rows.device).long()]
