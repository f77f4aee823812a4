"""The training labels around training pixels, against a loop over rows and columns."""

from __future__ import annotations

import numpy as np
import torch

from pdml.patches.known_neighbours import UNKNOWN, KnownNeighbours
from pdml.patches.source import PatchGrid

N_ROWS, N_COLS, SIDE = 7, 9, 3


def test_what_is_known_is_what_the_training_labels_say_and_nothing_else() -> None:
    rng = np.random.default_rng(0)
    indices = rng.choice(N_ROWS * N_COLS, 25, replace=False)
    classes = rng.integers(4, size=25)
    label_of = dict(zip(indices.tolist(), classes.tolist(), strict=True))
    grid = PatchGrid(N_ROWS, N_COLS, SIDE)
    around = KnownNeighbours(grid, torch.from_numpy(indices), torch.from_numpy(classes)).around(
        torch.from_numpy(indices)
    )
    for number, index in enumerate(indices.tolist()):
        row, col = divmod(index, N_COLS)
        for i in range(SIDE):
            for j in range(SIDE):
                r, c = row + i - 1, col + j - 1
                inside = 0 <= r < N_ROWS and 0 <= c < N_COLS
                expected = label_of.get(r * N_COLS + c, UNKNOWN) if inside else UNKNOWN
                assert around[number, i, j] == expected
