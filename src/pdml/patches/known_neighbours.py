"""Which pixels of a training patch are known to be of another class than its centre.

The paper gives all pixels of a patch the class of its centre. At the border of two fields that both
have training pixels, this is wrong, and the training labels say so.
"""

from __future__ import annotations

import torch
from jaxtyping import Int
from torch import Tensor

from pdml.patches.source import PatchGrid

UNKNOWN = -1


class KnownNeighbours:
    """The training labels as a map, looked at through patches.

    Args:
        grid: The geometry of the patches.
        indices: Flat indices of the training pixels.
        classes: Their classes.
    """

    def __init__(
        self, grid: PatchGrid, indices: Int[Tensor, " n"], classes: Int[Tensor, " n"]
    ) -> None:
        self._grid = grid
        self._table = torch.full((grid.n_padded,), UNKNOWN, device=indices.device)
        self._table[grid.centres(indices)] = classes

    def around(self, indices: Int[Tensor, " n"]) -> Int[Tensor, "n row col"]:
        """Class of each pixel of the patches around pixels; `UNKNOWN` where nothing is known."""
        side = self._grid.patch_size
        return self._table[self._grid.neighbours(indices)].view(len(indices), side, side)
