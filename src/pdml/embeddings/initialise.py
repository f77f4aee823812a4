"""First weights of networks with ReLU."""

from __future__ import annotations

from torch import nn


def he_normal(network: nn.Module) -> None:
    """Draws the weights of all layers from the normal distribution of He et al. (2015).

    Biases are zero.
    """
    for module in network.modules():
        if isinstance(module, nn.Conv1d | nn.Conv2d | nn.Conv3d | nn.Linear):
            nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
            if module.bias is not None:
                nn.init.zeros_(module.bias)
