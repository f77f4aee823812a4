"""Single steps of the split into blocks, on hand-made scenes."""

from __future__ import annotations

import numpy as np

from pdml.scenes.labels import LabelMap
from pdml.splits.block_parts import (
    NOWHERE,
    TEST,
    TRAIN,
    VALIDATION,
    BlockRule,
    cut_class,
    deal_blocks,
    keep_apart,
    lay_blocks,
)

RULE = BlockRule(block_pixels=4, guard_pixels=3, train=0.5, validation=0.0)


def test_blocks_are_squares_of_the_lattice_numbered_row_by_row() -> None:
    blocks = lay_blocks((9, 13), 4, np.random.default_rng(0))
    numbers, sizes = np.unique(blocks, return_counts=True)
    np.testing.assert_array_equal(numbers, np.arange(len(numbers)))
    assert sizes.max() == 16
    for number in numbers:
        rows, cols = np.nonzero(blocks == number)
        assert np.ptp(rows) < 4
        assert np.ptp(cols) < 4
        assert len(rows) == (np.ptp(rows) + 1) * (np.ptp(cols) + 1)


def test_each_class_gets_its_share_of_equal_blocks() -> None:
    blocks = np.repeat(np.arange(10), 5)[None]
    labels = LabelMap.from_array(np.repeat([1, 2], 25)[None])
    rule = BlockRule(block_pixels=5, guard_pixels=1, train=0.4, validation=0.2)
    dealt = deal_blocks(labels.labelled, blocks, rule, np.random.default_rng(0))
    for half in (dealt[:5], dealt[5:]):
        assert sorted(half.tolist()) == [TRAIN] * 2 + [VALIDATION] + [TEST] * 2


def test_the_only_block_of_a_class_is_left_to_be_cut() -> None:
    labels = LabelMap.from_array(np.array([[1, 1, 1, 1]]))
    blocks = np.zeros((1, 4), dtype=int)
    assert deal_blocks(labels.labelled, blocks, RULE, np.random.default_rng(0)).tolist() == [TEST]


def test_a_class_is_cut_across_its_longer_side_and_its_frame_follows() -> None:
    parts = np.full((20, 20), VALIDATION, dtype=np.int8)
    member = np.zeros((20, 20), dtype=bool)
    member[8:10, 4:14] = True
    cut_class(parts, member, RULE)
    # Columns 4 to 13; 2 fall to the guard of 3: 4 columns train and 4 are tested, and the frame of
    # 2 pixels around the class follows.
    expected = np.full((20, 20), VALIDATION, dtype=np.int8)
    expected[6:12, 2:8] = TRAIN
    expected[6:12, 8:16] = TEST
    np.testing.assert_array_equal(parts, expected)
    kept = keep_apart(parts, member, RULE.guard_pixels)
    assert (kept == TRAIN).sum() == (kept == TEST).sum() == 8


def test_a_class_smaller_than_the_guard_trains_as_a_whole() -> None:
    parts = np.full((9, 9), TEST, dtype=np.int8)
    member = np.zeros((9, 9), dtype=bool)
    member[3:6, 3:6] = True
    cut_class(parts, member, BlockRule(4, 4, 0.5, 0.0))
    np.testing.assert_array_equal(parts == TRAIN, member)


def test_pixels_near_another_part_are_dropped_but_never_from_training() -> None:
    parts = np.array([[TRAIN] * 3 + [TEST] * 5 + [VALIDATION] * 5], dtype=np.int8)
    labelled = np.ones(parts.shape, dtype=bool)
    labelled[0, 0] = False
    kept = keep_apart(parts, labelled, 3)
    expected = (
        [NOWHERE] + [TRAIN] * 2 + [NOWHERE] * 2 + [TEST] * 3 + [NOWHERE] * 2 + [VALIDATION] * 3
    )
    assert kept[0].tolist() == expected
