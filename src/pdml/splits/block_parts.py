"""Which part of a split each place of a scene belongs to, when whole blocks are dealt out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int, Int8

from pdml.scenes.labels import LabelledPixels
from pdml.splits.neighbourhood import near

NOWHERE, TRAIN, VALIDATION, TEST = -1, 0, 1, 2


@dataclass(frozen=True)
class BlockRule:
    """What a split into blocks should look like.

    Attributes:
        block_pixels: Side of a block.
        guard_pixels: Smallest distance between pixels of different parts (Chebyshev).
        train: Share of each class that should train.
        validation: Share of each class that should validate.
    """

    block_pixels: int
    guard_pixels: int
    train: float
    validation: float


def lay_blocks(
    scene_shape: tuple[int, int], block_pixels: int, generator: np.random.Generator
) -> Int[np.ndarray, "row col"]:
    """The number of the block that each pixel is in; the lattice is shifted at random."""
    n_rows, n_cols = scene_shape
    shift_row, shift_col = generator.integers(block_pixels, size=2)
    block_rows = (np.arange(n_rows) + shift_row) // block_pixels
    block_cols = (np.arange(n_cols) + shift_col) // block_pixels
    blocks: Int[np.ndarray, "row col"] = block_rows[:, None] * (block_cols[-1] + 1) + block_cols
    return blocks


def deal_blocks(
    labelled: LabelledPixels,
    blocks: Int[np.ndarray, "row col"],
    rule: BlockRule,
    generator: np.random.Generator,
) -> Int8[np.ndarray, " block"]:
    """Deals whole blocks to the parts, rare classes first, so that each class gets its shares.

    A block is not taken if it holds all that is left of a class to test. The guard is not looked
    at here.

    Returns:
        The part of each block.
    """
    n_blocks = int(blocks[-1, -1]) + 1
    n_classes = int(labelled.classes.max()) + 1
    cells = blocks.ravel()[labelled.indices] * n_classes + labelled.classes
    counts = np.bincount(cells, minlength=n_blocks * n_classes).reshape(n_blocks, n_classes)
    totals = counts.sum(axis=0)
    left = totals.copy()
    dealt = np.full(len(counts), TEST, dtype=np.int8)
    for part, share in ((TRAIN, rule.train), (VALIDATION, rule.validation)):
        wanted = share * totals
        have = np.zeros_like(totals)
        for number in np.argsort(totals, kind="stable"):
            if wanted[number] == 0:
                continue
            free = np.flatnonzero((dealt == TEST) & (counts[:, number] > 0))
            for block in generator.permutation(free):
                after = have[number] + counts[block, number]
                closer = abs(after - wanted[number]) < abs(have[number] - wanted[number])
                uses_up = (left == counts[block])[counts[block] > 0].any()
                if uses_up or not (closer or have[number] == 0):
                    continue
                dealt[block] = part
                have += counts[block]
                left -= counts[block]
    return dealt


def cut_class(
    parts: Int8[np.ndarray, "row col"],
    member: Bool[np.ndarray, "row col"],
    rule: BlockRule,
) -> None:
    """Changes the parts around a class so that a straight line cuts it into training and test.

    The line is the one that leaves both parts closest to their shares after the guard. Where the
    class is too small to be cut, its place goes to training as a whole.

    Args:
        parts: Part of each place; changed in place.
        member: The pixels of the class.
        rule: The shares and the guard distance.
    """
    axes = np.nonzero(member)
    balance, line, axis = max((*_best_line(places, rule), axis) for axis, places in enumerate(axes))
    top, left = (int(positions.min()) for positions in axes)
    bottom, right = (int(positions.max()) + 1 for positions in axes)
    if balance == 0:
        parts[top:bottom, left:right] = TRAIN
        return
    gap = rule.guard_pixels - 1
    # The frame around the class follows its halves: no other block then reaches into its guard.
    top, left = max(0, top - gap), max(0, left - gap)
    frame = parts[top : bottom + gap, left : right + gap]
    place = np.arange(frame.shape[axis]) + (top, left)[axis]
    half = np.where(place <= line, TRAIN, TEST).astype(np.int8)
    frame[:] = half[:, None] if axis == 0 else half


def _best_line(places: Int[np.ndarray, " n"], rule: BlockRule) -> tuple[float, int]:
    """How balanced the best line along one axis leaves a class, and the last place that trains."""
    lines = np.unique(places)
    n_train = np.array([(places <= line).sum() for line in lines])
    n_test = np.array([(places >= line + rule.guard_pixels).sum() for line in lines])
    balance = np.minimum(n_train / rule.train, n_test / (1 - rule.train))
    best = int(balance.argmax())
    return float(balance[best]), int(lines[best])


def keep_apart(
    parts: Int8[np.ndarray, "row col"], labelled: Bool[np.ndarray, "row col"], guard_pixels: int
) -> Int8[np.ndarray, "row col"]:
    """The part of each labelled pixel after pixels within the guard distance are dropped.

    Training keeps all its pixels. Test gives way to training, and validation to both.

    Args:
        parts: Part of each place.
        labelled: Pixels with a label.
        guard_pixels: Smallest distance between pixels of different parts.

    Returns:
        The part of each pixel, `NOWHERE` for those that are dropped or have no label.
    """
    gap = guard_pixels - 1
    train = labelled & (parts == TRAIN)
    near_train = near(train, gap)
    test = labelled & (parts == TEST) & ~near_train
    validation = labelled & (parts == VALIDATION) & ~near_train & ~near(test, gap)
    kept = np.full(parts.shape, NOWHERE, dtype=np.int8)
    for part, pixels in ((TRAIN, train), (VALIDATION, validation), (TEST, test)):
        kept[pixels] = part
    return kept
