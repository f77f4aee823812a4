"""Blocks are read once, and what comes out is what was asked for."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field

import numpy as np
import pytest
from jaxtyping import Shaped

from pdml.scenes import blocks
from pdml.scenes.blocks import BlockSource, by_blocks
from pdml.scenes.row_blocks import row_blocks
from pdml.scenes.scene import ArraySource, Scene
from pdml.scenes.window import Window


@dataclass(frozen=True)
class Counted(ArraySource):
    """A source that writes down what is read of it."""

    windows: list[Window] = field(default_factory=list)

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """Notes the window."""
        self.windows.append(window)
        return super().read(window)


@pytest.fixture
def counted() -> Counted:
    return Counted(np.random.default_rng(0).random((70, 50, 3)))


@pytest.mark.parametrize("block", [(16, 16), (7, 50), (70, 50), (64, 3), (200, 200)])
def test_any_window_is_a_crop(counted: Counted, block: tuple[int, int]) -> None:
    source = BlockSource(counted, block, n_kept=2)
    rng = np.random.default_rng(1)
    for _ in range(30):
        top, bottom = np.sort(rng.choice(71, 2, replace=False)).tolist()
        left, right = np.sort(rng.choice(51, 2, replace=False)).tolist()
        values = source.read(Window(top, bottom, left, right))
        assert values.flags.c_contiguous
        np.testing.assert_array_equal(values, counted.array[top:bottom, left:right])


def test_reading_a_scene_in_strips_reads_each_block_once(
    counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "LEAST_PIXELS", 1)
    scene = Scene(by_blocks(counted, (16, 16)))
    for window in row_blocks(scene, strip_bytes=8 * 50 * 3 * 3):  # three rows
        scene.read(window)
    assert len(counted.windows) == len(set(counted.windows)) == 5 * 4


def test_tiles_with_a_halo_read_each_block_once_too(
    counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "LEAST_PIXELS", 1)
    source = by_blocks(counted, (16, 16))
    for top in range(0, 70, 10):
        source.read(Window(max(0, top - 2), min(70, top + 12), 0, 50))
    assert len(counted.windows) == len(set(counted.windows)) == 5 * 4


def test_no_more_is_kept_than_was_said(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "LEAST_PIXELS", 1)
    monkeypatch.setattr(blocks, "MOST_BYTES", 3 * 16 * 16 * 3 * 8)
    source = by_blocks(counted, (16, 16))
    assert isinstance(source, BlockSource)
    source.read(Window(0, 70, 0, 50))
    held = sum(values.nbytes for values in source._kept.blocks.values())
    assert held <= source.held_bytes == 3 * 16 * 16 * 3 * 8


def test_small_blocks_are_read_several_at_once(counted: Counted) -> None:
    by_blocks(counted, (2, 5)).read(Window(0, 70, 0, 50))
    assert counted.windows == [Window(0, 70, 0, 50)]


def test_single_rows_need_no_blocks(counted: Counted) -> None:
    assert by_blocks(counted, (1, 50)) is counted


def test_what_is_kept_is_not_pickled(counted: Counted) -> None:
    source = by_blocks(counted, (16, 50))
    before = len(pickle.dumps(source))
    values = source.read(Window(0, 70, 0, 50))
    counted.windows.clear()
    sent = pickle.dumps(source)
    assert len(sent) < before + 200
    np.testing.assert_array_equal(pickle.loads(sent).read(Window(0, 70, 0, 50)), values)
