"""Heads: what stands between a backbone's features and an embedding of every pixel."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from pdml.embeddings.gaussian import GaussianEmbedding
from pdml.embeddings.paired_convolution import paired_convolution
from pdml.embeddings.patch_convolution import PatchConvolution

LOG_VARIANCE_RANGE = (-10.0, 4.0)
"""Bounds of the log-variance. The literal form of the paper's variance term has no lower bound."""

START_SHARE_OF_DISTANCE = 0.2
"""Noise between two samples at the start of training, as a share of the median distance."""


class GaussianHead(nn.Module):
    """Two convolutions that map features to means and log-variances (Eqs. 4 and 5).

    Args:
        n_features: Channels of the backbone's output.
        embedding_size: Dimension r of the Gaussians.
        kernel_size: 1 or 3; 3 is padded so that the patch keeps its size.
    """

    def __init__(self, n_features: int, *, embedding_size: int = 64, kernel_size: int = 3) -> None:
        super().__init__()
        layer = PatchConvolution if kernel_size == 3 else nn.Linear
        self.mean = layer(n_features, embedding_size)
        self.log_variance = layer(n_features, embedding_size)
        nn.init.kaiming_normal_(self.mean.weight, nonlinearity="linear")
        nn.init.zeros_(self.mean.bias)  # type: ignore[arg-type]  # a bias is there
        nn.init.normal_(self.log_variance.weight, std=0.01)
        nn.init.constant_(self.log_variance.bias, -4.0)  # type: ignore[arg-type]

    def forward(self, features: Float[Tensor, "n channel row col"]) -> GaussianEmbedding:
        """The embedding of every pixel."""
        x = features.permute(0, 2, 3, 1)
        if isinstance(self.mean, nn.Conv2d) and isinstance(self.log_variance, nn.Conv2d):
            mean, log_variance = paired_convolution(x, self.mean, self.log_variance)
        else:
            mean, log_variance = self.mean(x), self.log_variance(x)
        return GaussianEmbedding(mean, log_variance.clamp(*LOG_VARIANCE_RANGE))

    @torch.no_grad()
    def start(self, embedding: GaussianEmbedding) -> None:
        """Sets the first variance from the distances between the means of a batch.

        The noise between two samples then is a fifth of the median distance: large enough to
        matter, too small to drown the classes.
        """
        mean = embedding.mean.flatten(0, 2).float()
        if len(mean) < 2:
            return  # a single pixel is at no distance from anything
        some = mean[:: max(1, len(mean) // 500)]
        median = torch.pdist(some).median().clamp_min(1e-3)
        std = START_SHARE_OF_DISTANCE * median / math.sqrt(2 * mean.shape[1])
        low, high = LOG_VARIANCE_RANGE
        nn.init.constant_(
            self.log_variance.bias,  # type: ignore[arg-type]
            float((2 * std.log()).clamp(low + 1, high - 1)),
        )


class PointHead(nn.Module):
    """The plain network's head: features themselves are the embedding, without a variance."""

    def forward(self, features: Float[Tensor, "n channel row col"]) -> GaussianEmbedding:
        """The embedding of every pixel."""
        return GaussianEmbedding(features.permute(0, 2, 3, 1))
