"""Patches made worse: noise, dead bands, and pixels mixed with another class.

A measure of doubt that means something rises with the strength.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor


def with_noise(
    patches: Float[Tensor, "n row col band"], strength: float, *, generator: torch.Generator
) -> Float[Tensor, "n row col band"]:
    """Adds normal noise to every band; its standard deviation is a share of the band's own."""
    noise = torch.randn(patches.shape, generator=generator).to(patches.device)
    return patches + strength * noise


def with_dead_bands(
    patches: Float[Tensor, "n row col band"],
    strength: float,
    dead: Float[Tensor, " band"],
    *,
    generator: torch.Generator,
) -> Float[Tensor, "n row col band"]:
    """Lets a share of the bands, the same in all patches, read what a dead detector does.

    Args:
        patches: Standardised patches.
        strength: Share of the bands.
        dead: What a reading of zero is in each band when it is standardised.
        generator: Draws the bands.
    """
    n_bands = patches.shape[3]
    chosen = torch.randperm(n_bands, generator=generator)[: round(strength * n_bands)]
    worse = patches.clone()
    worse[..., chosen] = dead.to(patches)[chosen]
    return worse


def with_other_class(
    patches: Float[Tensor, "n row col band"],
    classes: Int[Tensor, " n"],
    strength: float,
    *,
    generator: torch.Generator,
) -> Float[Tensor, "n row col band"]:
    """Mixes each patch with a patch of another class: (1 - strength) * own + strength * other.

    Args:
        patches: Standardised patches; mixing is linear, so it may come after standardising.
        classes: Their classes; with a single class there is nothing to mix with.
        strength: Share of the other patch.
        generator: Draws the other patches.
    """
    order = torch.randperm(len(patches), generator=generator).to(patches.device)
    others = order.clone()
    for step in range(1, len(patches)):
        same = classes[others] == classes
        if not same.any():
            break
        others = torch.where(same, order.roll(step), others)
    return (1 - strength) * patches + strength * patches[others]
