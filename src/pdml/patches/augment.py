"""Changes that leave a patch's class as it is: turns, reflections, and noise in the spectra."""

from __future__ import annotations

from functools import lru_cache

import torch
from jaxtyping import Float, Int
from torch import Tensor

N_SYMMETRIES = 8


def dihedral(
    patches: Float[Tensor, "n row col band"], generator: torch.Generator
) -> Float[Tensor, "n row col band"]:
    """Turns and reflects each patch by one of the 8 symmetries of the square, drawn at random.

    Args:
        patches: Square patches.
        generator: Where the symmetries come from; on the CPU, so that runs on any device agree.

    Returns:
        New patches; the centre pixel stays where it is.
    """
    n, side, _, n_bands = patches.shape
    drawn = torch.randint(N_SYMMETRIES, (n,), generator=generator)
    first = torch.arange(n)[:, None] * (side * side)
    rows = (_symmetries(side)[drawn] + first).view(-1).to(patches.device)
    # One copy of whole spectra; flipping with masks would copy the batch once per symmetry.
    return patches.reshape(-1, n_bands).index_select(0, rows).view(patches.shape)


def dihedral_all(
    patches: Float[Tensor, "n row col band"],
) -> Float[Tensor, "symmetry n row col band"]:
    """All 8 turns and reflections of each patch, the unchanged one first."""
    n, side, _, n_bands = patches.shape
    spectra = patches.reshape(n, side * side, n_bands)
    variants = [
        spectra.index_select(1, positions) for positions in _symmetries(side).to(patches.device)
    ]
    return torch.stack(variants).view(N_SYMMETRIES, *patches.shape)


def spectral_noise(
    patches: Float[Tensor, "n row col band"], std: float, generator: torch.Generator
) -> Float[Tensor, "n row col band"]:
    """Adds independent Gaussian noise to each value.

    Args:
        patches: Standardised patches.
        std: Standard deviation of the noise, in standard deviations of the band; 0 for none.
        generator: Where the noise comes from; on the CPU, so that runs on any device agree.
    """
    if std == 0:
        return patches
    noise = torch.randn(patches.shape, generator=generator, dtype=patches.dtype)
    return patches + std * noise.to(patches.device)


@lru_cache(maxsize=8)
def _symmetries(side: int) -> Int[Tensor, "symmetry position"]:
    """For each symmetry, the position in the old patch that each new position is taken from."""
    square = torch.arange(side * side).view(side, side)
    turned = [square.rot90(quarter) for quarter in range(4)]
    return torch.stack([one.reshape(-1) for one in (*turned, *(turn.T for turn in turned))])
