"""The order in which training pixels are visited: one epoch as a list of batches.

An epoch is drawn at once, so the generator's state before it is all that is needed to replay it.
"""

from __future__ import annotations

import torch
from jaxtyping import Int
from torch import Tensor

from pdml.errors import InvalidInputError


def shuffled_batches(
    n: int, batch_size: int, *, generator: torch.Generator, drop_last: bool = False
) -> list[Int[Tensor, " batch"]]:
    """Positions 0 to n-1 in random order, each once.

    Args:
        n: Number of training pixels.
        batch_size: Pixels per batch.
        generator: Where the order comes from; on the CPU.
        drop_last: Whether a last batch that is shorter than the others is left out. It is kept
            when it is the only one.

    Raises:
        InvalidInputError: If there is nothing to visit or the batch size is below 1.
    """
    _require_sizes(n, batch_size)
    batches = list(torch.split(torch.randperm(n, generator=generator), batch_size))
    if drop_last and len(batches) > 1 and len(batches[-1]) < batch_size:
        batches.pop()
    return batches


def m_per_class_batches(
    classes: Int[Tensor, " n"], m: int, batch_size: int, *, generator: torch.Generator
) -> list[Int[Tensor, " batch"]]:
    """Batches that hold m pixels of each of batch_size / m classes.

    Each batch draws its classes afresh, so rare classes are seen as often as frequent ones. A
    class is gone through in random order before any pixel of it comes again. The epoch has about
    as many pixels as there are, in full batches.

    Args:
        classes: Class of each training pixel.
        m: Pixels per class in a batch.
        batch_size: Pixels per batch; a multiple of m.
        generator: Where all choices come from; on the CPU.

    Raises:
        InvalidInputError: If m does not divide the batch size, or there are fewer classes than
            one batch needs.
    """
    _require_sizes(len(classes), batch_size)
    if m < 1 or batch_size % m:
        raise InvalidInputError(
            f"the batch size must be a multiple of m, got batch size {batch_size} and m = {m}; "
            f"try a batch size of {max(1, round(batch_size / max(1, m))) * max(1, m)}"
        )
    present = torch.unique(classes).tolist()
    n_chosen = batch_size // m
    if n_chosen > len(present):
        raise InvalidInputError(
            f"a batch of {batch_size} pixels with {m} per class needs {n_chosen} classes, "
            f"the training pixels have {len(present)}; "
            f"use a batch size of at most {m * len(present)} or a larger m"
        )
    queues = {
        number: _Queue(torch.nonzero(classes == number).view(-1), generator) for number in present
    }
    batches = []
    for _ in range(max(1, len(classes) // batch_size)):
        order = torch.randperm(len(present), generator=generator)[:n_chosen].tolist()
        batches.append(torch.cat([queues[present[place]].take(m) for place in order]))
    return batches


class _Queue:
    """The pixels of one class in random order, shuffled anew whenever all have been taken."""

    def __init__(self, positions: Int[Tensor, " n"], generator: torch.Generator) -> None:
        self._positions = positions
        self._generator = generator
        self._waiting = positions[:0]

    def take(self, count: int) -> Int[Tensor, " count"]:
        while len(self._waiting) < count:
            order = torch.randperm(len(self._positions), generator=self._generator)
            self._waiting = torch.cat([self._waiting, self._positions[order]])
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return taken


def _require_sizes(n: int, batch_size: int) -> None:
    if n < 1:
        raise InvalidInputError("an epoch needs at least one training pixel, got none")
    if batch_size < 1:
        raise InvalidInputError(f"the batch size must be at least 1, got {batch_size}")
