"""Leakage against a loop over pixels, and on a real scene."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.scenes.labels import LabelledPixels, LabelMap
from pdml.splits.leakage import leakage
from pdml.splits.neighbourhood import near
from pdml.splits.random import split_random
from pdml.splits.split import Split


def shares_by_loop(split: Split, patch_size: int) -> tuple[float, float]:
    n_cols = split.scene_shape[1]
    train = [divmod(int(index), n_cols) for index in split.train.indices]
    own = overlap = 0
    for index in split.test.indices:
        row, col = divmod(int(index), n_cols)
        nearest = min(max(abs(row - r), abs(col - c)) for r, c in train)
        own += nearest <= patch_size // 2
        overlap += nearest <= patch_size - 1
    return own / len(split.test), overlap / len(split.test)


@pytest.mark.parametrize("patch_size", [1, 3, 5, 9])
def test_leakage_equals_a_loop_over_pixels(patch_size: int) -> None:
    generator = np.random.default_rng(0)
    codes = generator.integers(1, 3, size=(23, 17)) * (generator.random((23, 17)) < 0.3)
    split = split_random(LabelMap.from_array(codes), train=0.1)
    measured = leakage(split, patch_size)
    expected = shares_by_loop(split, patch_size)
    assert (measured.own_patch_share, measured.overlap_share) == pytest.approx(expected)
    assert measured.patch_size == patch_size


def test_the_random_split_of_indian_pines_leaks_nearly_everywhere(indian_pines: LabelMap) -> None:
    measured = leakage(split_random(indian_pines, seed=0), 5)
    assert measured.own_patch_share == pytest.approx(0.984, abs=0.002)
    assert measured.overlap_share == pytest.approx(1.0, abs=0.0005)


@pytest.mark.parametrize("radius", [0, 1, 4, 30])
def test_near_equals_the_largest_distance_on_each_axis(radius: int) -> None:
    mask = np.zeros((12, 20), dtype=bool)
    mask[3, 4] = mask[11, 19] = True
    rows, cols = np.indices(mask.shape)
    expected = np.zeros_like(mask)
    for row, col in zip(*np.nonzero(mask), strict=True):
        expected |= np.maximum(abs(rows - row), abs(cols - col)) <= radius
    np.testing.assert_array_equal(near(mask, radius), expected)


def test_an_even_patch_size_is_refused(field: LabelMap) -> None:
    with pytest.raises(InvalidInputError, match="must be odd and at least 1, got 4"):
        leakage(split_random(field), 4)


def test_a_split_without_test_pixels_is_refused() -> None:
    one = LabelledPixels(np.array([0]), np.array([0]))
    split = Split(one, one[:0], one[:0], (3, 3), ("a",))
    with pytest.raises(InvalidInputError, match="leakage needs test pixels"):
        leakage(split, 3)
