"""Bands that are taken from training patches, so that no class hangs on a few of them."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def drop_bands(
    patches: Float[Tensor, "n row col band"], share: float, generator: torch.Generator
) -> Float[Tensor, "n row col band"]:
    """Sets some bands of each patch to their mean, each band by a draw of its own.

    Args:
        patches: Standardised patches, so that the mean of a band is 0.
        share: Probability with which a band is taken; 0 for none.
        generator: Where the draws come from; on the CPU, so that runs on any device agree.
    """
    if share == 0:
        return patches
    n, n_bands = patches.shape[0], patches.shape[3]
    kept = torch.rand(n, 1, 1, n_bands, generator=generator) >= share
    return patches * kept.to(patches)


def mask_stretch(
    patches: Float[Tensor, "n row col band"], longest: float, generator: torch.Generator
) -> Float[Tensor, "n row col band"]:
    """Sets a stretch of neighbouring bands of each patch to their mean.

    Neighbouring bands say nearly the same, so a network that loses single ones has lost nothing.

    Args:
        patches: Standardised patches, so that the mean of a band is 0.
        longest: Longest stretch as a share of the bands; each length from 0 up to it is as likely
            as any other, and so is each place. 0 for none.
        generator: Where the draws come from; on the CPU, so that runs on any device agree.
    """
    if longest == 0:
        return patches
    n, n_bands = patches.shape[0], patches.shape[3]
    drawn = torch.rand(2, n, generator=generator)
    length = (drawn[0] * (longest * n_bands + 1)).floor().clamp_max(n_bands)
    first = (drawn[1] * (n_bands - length + 1)).floor()
    band = torch.arange(n_bands)
    kept = (band < first[:, None]) | (band >= (first + length)[:, None])
    return patches * kept.to(patches)[:, None, None]
