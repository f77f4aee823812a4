"""Cross-entropy of a linear layer on every sample: classification instead of distances.

The layer is the loss's own and is thrown away with it; the classifier of the model is another one,
and sees the centre of a patch where this one sees all of its pixels.
"""

from __future__ import annotations

from typing import Any

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from pdml.losses.members import as_points
from pdml.losses.metric_loss import METRIC_LOSSES, MetricLoss, require_positive
from pdml.losses.reduction import Reduction


@METRIC_LOSSES.register
class Softmax(MetricLoss):
    """Mean cross-entropy over all samples of all pixels.

    Args:
        n_features: Size of the embedding.
        n_classes: Number of classes.
        reduction: Without effect: the mean over the samples, whatever the reduction.

    Raises:
        UnknownNameError: If the reduction does not exist.
        InvalidInputError: If a size is not positive.
    """

    def __init__(self, *, n_features: int, n_classes: int, reduction: Reduction = "mean") -> None:
        super().__init__(reduction=reduction)
        require_positive(n_features=n_features, n_classes=n_classes)
        self.linear = nn.Linear(n_features, n_classes)

    @classmethod
    def build(cls, *, n_features: int, n_classes: int, **options: Any) -> MetricLoss:
        """The loss with a layer for so many features and classes."""
        return cls(n_features=n_features, n_classes=n_classes, **options)

    def forward(
        self,
        samples: Float[Tensor, "pixel sample feature"],
        classes: Int[Tensor, " pixel"],
    ) -> Float[Tensor, ""]:
        """Mean over all samples."""
        points, of_points = as_points(samples, classes)
        return cross_entropy(self.linear(points), of_points)
