"""Where the training pixels of the classes lie: a mean for each, and one shape for all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True)
class ClassShape:
    """Gaussians with a mean for each class and one covariance, as points and their directions.

    Attributes:
        means: Means of the classes that have pixels.
        whitener: What turns differences into lengths in standard deviations: the covariance is the
            inverse of `whitener @ whitener.T`.
    """

    means: Float[Tensor, "class_ feature"]
    whitener: Float[Tensor, "feature feature"]

    def nearest_squared(self, points: Float[Tensor, "n feature"]) -> Float[Tensor, " n"]:
        """Squared Mahalanobis distance of points to the nearest mean.

        Single precision whatever the network computes in; one class at a time, so that the memory
        does not grow with the classes.
        """
        device = points.device
        with torch.autocast(device.type, enabled=False):
            whitener = self.whitener.to(device)
            origin = self.means.mean(dim=0).to(device)
            turned = (points.float() - origin) @ whitener
            nearest = torch.full_like(turned[:, 0], torch.inf)
            for mean in (self.means.to(device) - origin) @ whitener:
                nearest = torch.minimum(nearest, (turned - mean).square().sum(dim=1))
            return nearest


def class_shape(points: Float[Tensor, "n feature"], classes: Int[Tensor, " n"]) -> ClassShape:
    """Fits means and the covariance around them, shrunk as Ledoit and Wolf say.

    O. Ledoit, M. Wolf, "A well-conditioned estimator for large-dimensional covariance matrices",
    Journal of Multivariate Analysis 88, 2004. Bands are many, strongly correlated and often more
    than the training pixels: without shrinkage there would be no inverse.

    Args:
        points: At least one.
        classes: Their classes; all the same for one mean.
    """
    from sklearn.covariance import LedoitWolf
    from threadpoolctl import threadpool_limits

    x = points.double().cpu().numpy()
    numbers, row_of = np.unique(classes.cpu().numpy(), return_inverse=True)
    means = np.stack([x[row_of == row].mean(axis=0) for row in range(len(numbers))])
    around = x - means[row_of]
    whitener = np.eye(x.shape[1])
    if np.abs(around).max() > 0:  # else every class is one pixel, which has no shape
        with threadpool_limits(1):  # waiting threads spin, which is slow on shared processors
            precision = LedoitWolf(assume_centered=True).fit(around).precision_
            values, directions = np.linalg.eigh(precision)
        whitener = directions * np.sqrt(values.clip(min=0))
    return ClassShape(torch.from_numpy(means).float(), torch.from_numpy(whitener).float())
