"""A glance sees all of a small scene, and an even sample of a large one in bounded time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from jaxtyping import Shaped

from pdml.scenes import glance as module
from pdml.scenes.glance import glance
from pdml.scenes.scene import Scene
from pdml.scenes.summary import band_statistics, missing_share
from pdml.scenes.window import Window


@dataclass
class Watched:
    """A source of a known pattern that remembers what is read; it has no values of its own."""

    shape: tuple[int, int, int]
    block: tuple[int, int] | None = None
    windows: list[Window] = field(default_factory=list)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values."""
        return np.dtype(np.uint16)

    def read(self, window: Window) -> Shaped[np.ndarray, "row col band"]:
        """Row number in every band."""
        self.windows.append(window)
        rows = np.arange(window.row_start, window.row_stop, dtype=np.uint16)
        return np.broadcast_to(rows[:, None, None], (*window.shape, self.shape[2])).copy()


def test_a_small_scene_is_seen_whole() -> None:
    cube = np.random.default_rng(0).normal(size=(30, 20, 4)).astype(np.float32)
    cube[:6, 0] = -1
    scene = Scene.from_array(cube, nodata=-1)
    seen = glance(scene, (2, 1, 0))
    assert (seen.is_all, seen.n_pixels, seen.n_measured) == (True, 600, 594)
    assert missing_share(seen) == pytest.approx(0.01)
    assert np.isnan(seen.picture[:6, 0]).all()
    np.testing.assert_array_equal(seen.picture[6:], cube[6:, :, [2, 1, 0]])
    values = cube[scene.measured(cube)].astype(float)
    for band, one in enumerate(band_statistics(scene, seen)):
        of_band = values[:, band]
        low, high = np.percentile(of_band, [2, 98])
        assert (one.lowest, one.highest) == (of_band.min(), of_band.max())
        assert [one.percent_2, one.percent_98] == pytest.approx([low, high])
        assert [one.mean, one.std] == pytest.approx([of_band.mean(), of_band.std()])
        assert one.broken_share == 0


def test_broken_values_are_counted_and_left_out() -> None:
    cube = np.ones((4, 5, 2))
    cube[0, :, 1] = np.nan
    cube[1, 0, 1] = np.inf
    scene = Scene.from_array(cube, good_bands=np.array([True, False]))
    whole, broken = band_statistics(scene, glance(scene, (0,)))
    assert (whole.broken_share, whole.is_bad) == (0, False)
    assert broken.broken_share == pytest.approx(6 / 20)
    assert broken.is_bad
    assert (broken.mean, broken.highest) == (1, 1)


def test_of_a_large_scene_evenly_spread_rows_are_read() -> None:
    source = Watched((20_000, 50, 3))
    seen = glance(Scene(source), (0, 1, 2), seconds=60)
    rows = sorted(window.row_start for window in source.windows)
    assert len(rows) == 254  # every 79th
    assert {window.shape for window in source.windows} == {(1, 50)}
    assert set(np.diff(rows)) <= {78, 79}
    assert (seen.is_all, seen.n_pixels) == (False, 254 * 50)
    np.testing.assert_array_equal(np.unique(seen.picture), rows)


def test_when_time_is_over_the_rest_shows_what_is_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Watched((256, 8, 3))
    now = iter(range(100))
    monkeypatch.setattr(module, "monotonic", lambda: next(now))
    seen = glance(Scene(source), (0,), seconds=3.5)
    assert [window.row_start for window in source.windows] == [0, 128, 64, 192]
    picture = seen.picture[:, 0, 0]
    assert [picture[row] for row in (0, 31, 33, 95, 97, 160, 255)] == [0, 0, 64, 64, 128, 128, 192]


def test_one_window_is_read_whatever_the_time() -> None:
    source = Watched((5000, 8, 3))
    assert glance(Scene(source), (0,), seconds=-1).n_pixels == 8


def test_a_file_in_blocks_is_read_by_blocks() -> None:
    source = Watched((600, 500, 3), block=(256, 256))
    seen = glance(Scene(source), (0,), seconds=60)
    starts = {(window.row_start, window.col_start) for window in source.windows}
    assert starts == {(row, col) for row in (0, 256, 512) for col in (0, 256)}
    assert seen.is_all
    assert len(seen.spectra) <= module.MOST_PIXELS


def test_no_window_is_larger_than_the_memory_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WINDOW_BYTES", 1200)
    source = Watched((10, 500, 3))
    assert glance(Scene(source), (0,), seconds=60).n_pixels == 5 * 500
    assert max(w.shape[0] * w.shape[1] * 3 * 2 for w in source.windows) <= 1200
