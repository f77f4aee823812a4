"""Borders of fields, made by hand: beyond a straight line a patch is that of another place.

A random split shows the network whole fields, and few of its pixels lie at a border. A new field
has other neighbours. Patches with a foreign far side teach that the centre alone has the class.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def mix_at_borders(
    patches: Float[Tensor, "n row col band"],
    pixel_classes: Int[Tensor, "n row col"],
    share: float,
    generator: torch.Generator,
) -> tuple[Float[Tensor, "n row col band"], Int[Tensor, "n row col"]]:
    """Replaces the far side of some patches by that of another patch of the batch.

    Args:
        patches: The patches of a batch.
        pixel_classes: Class of each of their pixels; it goes where its pixel goes.
        share: Share of the patches that get a border; 0 for none.
        generator: Where all choices come from; on the CPU, so that runs on any device agree.

    Returns:
        New patches and classes. The centre stays what it was.
    """
    if share == 0:
        return patches, pixel_classes
    n, side = patches.shape[:2]
    chosen = torch.rand(n, generator=generator) < share
    other = torch.randperm(n, generator=generator).to(patches.device)
    beyond = (_beyond_a_line(n, side, generator) & chosen[:, None, None]).to(patches.device)
    return (
        torch.where(beyond[..., None], patches[other], patches),
        torch.where(beyond, pixel_classes[other], pixel_classes),
    )


def _beyond_a_line(n: int, side: int, generator: torch.Generator) -> Bool[Tensor, "n row col"]:
    """Pixels on the far side of a line through each patch: any direction, any distance."""
    drawn = torch.rand(2, n, 1, 1, generator=generator)
    angle = 2 * math.pi * drawn[0]
    steps = torch.arange(side) - side // 2
    along = steps[:, None] * torch.sin(angle) + steps * torch.cos(angle)
    # From just beyond the centre to the edge of the patch.
    return along > drawn[1] * (side // 2) + 1e-3
