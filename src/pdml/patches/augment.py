"""Changes that leave a patch's class as it is: turns, reflections, and noise in the spectra."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import torch
from jaxtyping import Float, Int, Shaped
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
    return turned(patches, draw_symmetries(len(patches), generator))


def draw_symmetries(n: int, generator: torch.Generator) -> Int[Tensor, " n"]:
    """One of the 8 symmetries for each of n patches."""
    return torch.randint(N_SYMMETRIES, (n,), generator=generator)


def turned(
    patches: Shaped[Tensor, "n row col band"], symmetries: Int[Tensor, " n"]
) -> Shaped[Tensor, "n row col band"]:
    """Turns and reflects each patch by a symmetry of its own, given by number."""
    n, side, _, n_bands = patches.shape
    first = torch.arange(n)[:, None] * (side * side)
    rows = (_symmetries(side)[symmetries] + first).view(-1).to(patches.device)
    # One copy of whole spectra; flipping with masks would copy the batch once per symmetry.
    return patches.reshape(-1, n_bands).index_select(0, rows).view(patches.shape)


def dihedral_all(
    patches: Float[Tensor, "n row col band"],
) -> Float[Tensor, "symmetry n row col band"]:
    """All 8 turns and reflections of each patch, the unchanged one first."""
    return torch.stack(list(dihedral_variants(patches)))


def dihedral_variants(
    patches: Float[Tensor, "n row col band"],
) -> Iterator[Float[Tensor, "n row col band"]]:
    """The same, one after the other."""
    n, side, _, n_bands = patches.shape
    spectra = patches.reshape(n, side * side, n_bands)
    for positions in _symmetries(side).to(patches.device):
        yield spectra.index_select(1, positions).view(patches.shape)


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
