"""Mixup (Zhang et al., 2018): sums of two patches that are of two classes in the same shares."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import one_hot


def mixup(
    patches: Float[Tensor, "n row col band"],
    classes: Int[Tensor, " n"],
    most: float,
    generator: torch.Generator,
    *,
    n_classes: int,
) -> tuple[Float[Tensor, "n row col band"], Float[Tensor, "n class_"]]:
    """Adds to each patch some of another one of the batch, and takes as much away.

    At least half of a mixed patch is the patch that was there before, so that a loss that needs one
    class for each patch can go on with the class that it had.

    Args:
        patches: The patches of a batch.
        classes: Class of each patch.
        most: Largest share of the other patch, up to a half; each share up to it is as likely as
            any other. A half is the mixup of its authors with alpha = 1.
        generator: Where partners and shares come from; on the CPU, so that runs on any device
            agree.
        n_classes: Number of classes.

    Returns:
        New patches, and the share of each class in each of them.
    """
    n = len(patches)
    other = torch.randperm(n, generator=generator).to(patches.device)
    shares = (most * torch.rand(n, generator=generator)).to(patches)
    targets = one_hot(classes, n_classes).to(patches)
    return (
        torch.lerp(patches, patches[other], shares[:, None, None, None]),
        torch.lerp(targets, targets[other], shares[:, None]),
    )
