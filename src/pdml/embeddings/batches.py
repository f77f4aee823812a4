"""Batches in which every pixel has a place of its own, whatever other pixels there are.

Matrix products sum in an order that depends on the shape of a batch and, for small matrices, on the
row as well. For results that are the same to the last bit, a pixel of a scene must always be at the
same place in a batch of the same shape.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

STEP_PER_ROW = 317
"""By how much places move on from one row of a scene to the next: odd, and about the golden section
of 512 as well as (taken modulo) of 256, so that a tile of any width fills all places alike."""


@dataclass(frozen=True)
class Batch:
    """Some items of a list and their places in a batch.

    Attributes:
        items: Numbers of items, from 0.
        places: Where each of them is in the batch.
    """

    items: Int[Tensor, " n"]
    places: Int[Tensor, " n"]

    def filled(self, indices: Int[Tensor, " all"], size: int) -> Int[Tensor, " size"]:
        """The items' indices at their places; the others are filled with any index."""
        batch = indices[self.items[0]].repeat(size)
        batch[self.places] = indices[self.items]
        return batch


def in_order(n: int, size: int, *, device: torch.device) -> Iterator[Batch]:
    """Batches of a list in its order."""
    for start in range(0, n, size):
        items = torch.arange(start, min(start + size, n), device=device)
        yield Batch(items, items - start)


def by_place(rows: Int[Tensor, " n"], cols: Int[Tensor, " n"], size: int) -> Iterator[Batch]:
    """Batches in which the place of a pixel follows from its row and column in the scene."""
    places = (cols + STEP_PER_ROW * rows).remainder(size)
    order = places.argsort(stable=True)
    places = places[order]
    # Pixels of one place go into batches one after the other.
    first = torch.searchsorted(places, torch.arange(size, device=places.device))
    batch_of = torch.arange(len(places), device=places.device) - first[places]
    by_batch = batch_of.argsort(stable=True)
    sizes = torch.bincount(batch_of).tolist()
    for chosen in torch.split(by_batch, sizes):
        yield Batch(order[chosen], places[chosen])
