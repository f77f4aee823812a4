"""Laps: the square rings of a patch around its centre pixel (the paper's n_j)."""

from __future__ import annotations

from functools import lru_cache

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pdml.errors import InvalidInputError


def laps(patch_size: int) -> Int[Tensor, "row col"]:
    """Numbers the laps of a patch: 0 at the centre, (patch_size - 1) / 2 at the border.

    Args:
        patch_size: Side of the patch in pixels.

    Raises:
        InvalidInputError: If the patch has no centre pixel.
    """
    if patch_size < 1 or patch_size % 2 == 0:
        raise InvalidInputError(
            f"a patch needs a centre pixel, so its size must be odd and at least 1, "
            f"got {patch_size}; try {max(patch_size, 0) + 1}"
        )
    offset = (torch.arange(patch_size) - patch_size // 2).abs()
    return torch.maximum(offset[:, None], offset[None, :])


def lap_means(pixels: Float[Tensor, "n row col"]) -> Float[Tensor, "n lap"]:
    """Averages a quantity over the pixels of each lap.

    Raises:
        InvalidInputError: If the patches are not square or have no centre pixel.
    """
    n_rows, n_cols = pixels.shape[1:]
    if n_rows != n_cols:
        raise InvalidInputError(
            f"laps need square patches, got {n_rows} rows and {n_cols} columns; "
            "use a backbone that keeps the spatial size"
        )
    return pixels.flatten(1) @ _shares(n_rows, pixels.dtype, pixels.device)


@lru_cache(maxsize=8)
@torch.inference_mode(False)  # a later call may want gradients through what is kept
def _shares(
    patch_size: int, dtype: torch.dtype, device: torch.device
) -> Float[Tensor, "pixel lap"]:
    """How much each pixel of a patch counts in the mean of each lap."""
    membership = torch.nn.functional.one_hot(laps(patch_size).flatten()).to(device, dtype)
    return membership / membership.sum(0)
