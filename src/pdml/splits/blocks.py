"""Spatially disjoint split: whole blocks train, validate or test, with a guard between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int, Int8

from pdml.errors import InvalidInputError
from pdml.scenes.labels import LabelMap
from pdml.splits.block_parts import (
    TEST,
    TRAIN,
    VALIDATION,
    BlockRule,
    cut_class,
    deal_blocks,
    keep_apart,
    lay_blocks,
)
from pdml.splits.checks import require_odd, require_share, require_shares, require_trained
from pdml.splits.split import Split

BLOCKS_IN_PATCHES = (5, 4, 3, 2)
"""Sides of the blocks that are tried, in patches, when none is given."""

TRIES = 24
"""Random deals of the blocks per size; the best is taken."""

MOVES = 100
"""Blocks of the best deal that are tried in another part."""


def split_blocks(
    labels: LabelMap,
    *,
    patch_size: int = 5,
    block_pixels: int | None = None,
    guard_pixels: int | None = None,
    train: float = 0.25,
    validation: float = 0.1,
    seed: int = 0,
) -> Split:
    """Splits a scene so that no test patch shares a pixel with a training or validation patch.

    Square blocks are dealt to the three parts, rare classes first. Test pixels nearer than
    `guard_pixels` to a training pixel are dropped, and validation pixels nearer than that to
    either. Many deals are tried and the best is taken: first by classes that can be both trained
    and tested, then by how close the shares of each class are and how few pixels are dropped.

    A class that lies in one place is cut by a straight line instead, with the guard between its
    halves. Where it is too small even for that, it only trains and is not tested; `how` then
    names it under "absent_from_test", and scores must leave it out. `how` also says how many
    labelled pixels were dropped.

    Args:
        labels: The labelled scene.
        patch_size: Side of the patches that must not overlap, odd.
        block_pixels: Side of a block; the best of a few multiples of the patch size when not given.
        guard_pixels: Smallest distance between pixels of different parts, counted like a king's
            moves; the patch size when not given.
        train: Share of each class that should train. Blocks are coarse, so it is met roughly.
        validation: Share of each class that should validate, before the guard is applied.
        seed: Same seed, same split.

    Raises:
        InvalidInputError: If an option is out of range, a class has no pixel, or more than half of
            the classes cannot be tested.
    """
    require_odd(patch_size)
    guard = patch_size if guard_pixels is None else guard_pixels
    _require_options(
        labels, guard_pixels=guard, block_pixels=block_pixels, train=train, validation=validation
    )
    generator = np.random.default_rng(seed)
    rules = [
        BlockRule(side, guard, train, validation) for side in _sides(labels, block_pixels, guard)
    ]
    best = min((_search(_Task(labels, rule), generator) for rule in rules), key=_badness)
    return _as_split(labels, best, {"train": train, "validation": validation, "seed": seed})


class _Task:
    """The labels and the rule, with what every deal needs of them worked out once."""

    def __init__(self, labels: LabelMap, rule: BlockRule) -> None:
        self.labels = labels
        self.rule = rule
        self.pixels = labels.labelled
        self.mask = labels.codes > 0
        self.sizes = labels.counts
        shares = np.array([[rule.train], [rule.validation], [1 - rule.train - rule.validation]])
        self.wanted = shares * self.sizes


@dataclass(frozen=True)
class _Deal:
    """One way to deal the blocks, the pixels it leaves of each class, and how bad that is."""

    blocks: Int[np.ndarray, "row col"]
    dealt: Int8[np.ndarray, " block"]
    cut: tuple[int, ...]
    rule: BlockRule
    part: Int8[np.ndarray, " labelled"]
    counts: Int[np.ndarray, "part class_"]
    badness: tuple[int, int, float]

    @property
    def one_sided(self) -> set[int]:
        """Classes that are not in both training and test."""
        return set(np.flatnonzero((self.counts[[TRAIN, TEST]] == 0).any(axis=0)).tolist())


def _search(task: _Task, generator: np.random.Generator) -> _Deal:
    """The best of many deals; classes that no deal could part are cut in further ones."""
    cut: set[int] = set()
    best = _best_try(task, cut, generator)
    while best.one_sided - cut:
        cut |= best.one_sided
        best = min(best, _best_try(task, cut, generator), key=_badness)
    return best


def _best_try(task: _Task, cut: set[int], generator: np.random.Generator) -> _Deal:
    # The rarest class is cut last, because a later cut overrules an earlier one nearby.
    order = tuple(sorted(cut, key=lambda number: (-int(task.sizes[number]), number)))
    tries = []
    for _ in range(TRIES):
        blocks = lay_blocks(task.labels.shape, task.rule.block_pixels, generator)
        dealt = deal_blocks(task.pixels, blocks, task.rule, generator)
        tries.append(_weigh(task, blocks, dealt, order))
    return _improved(task, min(tries, key=_badness), generator)


def _improved(task: _Task, deal: _Deal, generator: np.random.Generator) -> _Deal:
    """The deal after single blocks have changed their part wherever that made it better."""
    occupied = np.unique(deal.blocks[task.mask])
    for block in np.resize(generator.permutation(occupied), MOVES):
        for part in (TRAIN, VALIDATION, TEST):
            if part != deal.dealt[block]:
                dealt = deal.dealt.copy()
                dealt[block] = part
                deal = min(deal, _weigh(task, deal.blocks, dealt, deal.cut), key=_badness)
    return deal


def _weigh(
    task: _Task,
    blocks: Int[np.ndarray, "row col"],
    dealt: Int8[np.ndarray, " block"],
    cut: tuple[int, ...],
) -> _Deal:
    parts = dealt[blocks]
    for number in cut:
        cut_class(parts, task.labels.codes == number + 1, task.rule)
    kept = keep_apart(parts, task.mask, task.rule.guard_pixels)
    part = kept.ravel()[task.pixels.indices]
    n_classes = len(task.sizes)
    # NOWHERE is -1: the row of dropped pixels comes first and is left out.
    cells = (part.astype(np.int64) + 1) * n_classes + task.pixels.classes
    counts = np.bincount(cells, minlength=4 * n_classes).reshape(4, n_classes)[1:]
    # Ratios, so that half and double count alike; plus one pixel, so that none is finite.
    uneven = np.abs(np.log((counts + 1) / (task.wanted + 1))).mean()
    dropped = 1 - counts.sum() / len(task.pixels)
    untrained, _, untested = (counts == 0).sum(axis=1).tolist()
    badness = (untrained, untested, float(uneven + dropped))
    return _Deal(blocks, dealt, cut, task.rule, part, counts, badness)


def _badness(deal: _Deal) -> tuple[int, int, float]:
    return deal.badness


def _as_split(labels: LabelMap, deal: _Deal, asked: dict[str, float | int]) -> Split:
    labelled = labels.labelled
    names = labels.class_names
    untested = np.flatnonzero(deal.counts[TEST] == 0)
    how = {
        "strategy": "blocks",
        "block_pixels": deal.rule.block_pixels,
        "guard_pixels": deal.rule.guard_pixels,
        **asked,
        "dropped_pixels": len(labelled) - int(deal.counts.sum()),
        "cut_classes": [names[number] for number in sorted(deal.cut)],
        "absent_from_test": [names[number] for number in untested],
    }
    if 2 * len(untested) > labels.n_classes:
        raise InvalidInputError(
            f"blocks must leave most classes to test, got no test pixel of "
            f"{', '.join(names[number] for number in untested)} with a guard of "
            f"{deal.rule.guard_pixels} pixels in a scene of {labels.shape[0]} x "
            f"{labels.shape[1]}; label more places, try a smaller patch size, or split at random, "
            "whose score says little about new ground"
        )
    train, validation, test = (labelled[deal.part == one] for one in (TRAIN, VALIDATION, TEST))
    return require_trained(Split(train, validation, test, labels.shape, names, how))


def _sides(labels: LabelMap, block_pixels: int | None, guard_pixels: int) -> list[int]:
    if block_pixels is not None:
        return [block_pixels]
    largest = max(1, max(labels.shape) // 2)
    return sorted({min(largest, n * max(guard_pixels, 3)) for n in BLOCKS_IN_PATCHES}, reverse=True)


def _require_options(
    labels: LabelMap,
    *,
    guard_pixels: int,
    block_pixels: int | None,
    train: float,
    validation: float,
) -> None:
    require_share("train", train)
    require_share("validation", validation, zero_allowed=True)
    require_shares(train, validation)
    if guard_pixels < 1:
        raise InvalidInputError(
            f"the guard must be at least 1 pixel, got {guard_pixels}; use the patch size"
        )
    if block_pixels is not None and not 1 <= block_pixels < max(labels.shape):
        raise InvalidInputError(
            f"a block must be at least 1 pixel and smaller than the scene of {labels.shape[0]} x "
            f"{labels.shape[1]} pixels, got {block_pixels}; leave it out to have it chosen"
        )
    absent = [name for name, n in zip(labels.class_names, labels.counts, strict=True) if n == 0]
    if absent:
        raise InvalidInputError(
            f"every class needs a training pixel, got no labelled pixel of {', '.join(absent)}; "
            "take the class out of the labels"
        )
