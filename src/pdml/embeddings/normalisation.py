"""Batch normalisation of maps that also takes a batch of a single value."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import batch_norm


class Normalisation(nn.BatchNorm2d):
    """Batch normalisation that takes its running statistics where a batch has a single value."""

    def forward(self, x: Float[Tensor, "n channel row col"]) -> Float[Tensor, "n channel row col"]:
        """Normalises."""
        if x.numel() > x.shape[1]:
            normal: Tensor = super().forward(x)
            return normal
        return batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias)


def normalised(convolution: nn.Conv2d) -> nn.Sequential:
    """A convolution and its batch normalisation."""
    return nn.Sequential(convolution, Normalisation(convolution.out_channels))
