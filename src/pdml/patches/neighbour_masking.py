"""Neighbours that are hidden: some at random, or those that are known to be something else."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor


def drop_neighbours(
    patches: Float[Tensor, "n row col band"], share: float, generator: torch.Generator
) -> Float[Tensor, "n row col band"]:
    """Sets some pixels around the centre to the mean spectrum, as pixels without data are.

    Args:
        patches: Standardised patches, so that the mean spectrum is 0.
        share: Probability with which a neighbour is hidden; 0 for none.
        generator: Where the draws come from; on the CPU, so that runs on any device agree.
    """
    if share == 0:
        return patches
    n, side = patches.shape[:2]
    hidden = torch.rand(n, side, side, generator=generator) < share
    hidden[:, side // 2, side // 2] = False
    return hide(patches, hidden.to(patches.device))


def hide(
    patches: Float[Tensor, "n row col band"], hidden: Bool[Tensor, "n row col"]
) -> Float[Tensor, "n row col band"]:
    """Sets pixels to the mean spectrum."""
    return patches.masked_fill(hidden[..., None], 0.0)
