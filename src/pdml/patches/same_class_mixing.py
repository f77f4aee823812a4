"""Patches between two of one class: between two samples of a material lies that material."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor


def mix_within_classes(
    patches: Float[Tensor, "n row col band"],
    classes: Int[Tensor, " n"],
    most: float,
    generator: torch.Generator,
) -> Float[Tensor, "n row col band"]:
    """Adds to each pixel some of a pixel of a patch of the same class, and takes as much away.

    Args:
        patches: The patches of a batch.
        classes: Class of each patch.
        most: Largest share of the other pixel; each share up to it is as likely as any other. 0
            for no mixing.
        generator: Where partners and shares come from; on the CPU, so that runs on any device
            agree.

    Returns:
        New patches. A patch that is alone in its class stays as it is.
    """
    if most == 0:
        return patches
    other = partners(classes.cpu(), generator).to(patches.device)
    shares = most * torch.rand(*patches.shape[:3], 1, generator=generator)
    return torch.lerp(patches, patches[other], shares.to(patches))


def partners(classes: Int[Tensor, " n"], generator: torch.Generator) -> Int[Tensor, " n"]:
    """For each item a random other one of its class; itself if there is none."""
    n = len(classes)
    liking = torch.rand(n, n, generator=generator)
    liking[classes[:, None] != classes] = -2.0
    liking.fill_diagonal_(-1.0)
    return liking.argmax(dim=1)
