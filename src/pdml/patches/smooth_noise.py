"""Smooth errors of whole spectra: a sensor that drifts, air that was corrected for roughly."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

N_WAVES = 4
"""Half waves over the spectrum: the slowest has one, the fastest so many."""


def smooth_noise(
    patches: Float[Tensor, "n row col band"], std: float, generator: torch.Generator
) -> Float[Tensor, "n row col band"]:
    """Adds a slow random curve over the bands, one for all pixels of a patch.

    Args:
        patches: Standardised patches.
        std: Standard deviation of the curve, over curves and bands, in standard deviations of a
            band; 0 for none.
        generator: Where the curves come from; on the CPU, so that runs on any device agree.
    """
    if std == 0:
        return patches
    n, n_bands = patches.shape[0], patches.shape[3]
    heights = torch.randn(n, N_WAVES, generator=generator) * (std * math.sqrt(2 / N_WAVES))
    curves = heights @ _waves(n_bands)
    return patches + curves.to(patches)[:, None, None]


def _waves(n_bands: int) -> Float[Tensor, "wave band"]:
    """Cosines of 1, 2, ... half waves; the mean of their squares over the bands is a half."""
    places = (torch.arange(n_bands) + 0.5) / n_bands
    return torch.cos(math.pi * torch.arange(1, N_WAVES + 1)[:, None] * places)
