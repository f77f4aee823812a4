"""Values that cannot be learnt from are named."""

from __future__ import annotations

import numpy as np
import pytest
from jaxtyping import Float

from pdml.errors import InvalidInputError
from pdml.scenes.check import check_values, name_bands
from pdml.scenes.scene import Scene


@pytest.fixture
def cube() -> Float[np.ndarray, "row col band"]:
    return np.random.default_rng(0).random((12, 7, 24))


def test_ordinary_values_pass(cube: np.ndarray) -> None:
    check_values(Scene.from_array(cube))
    check_values(Scene.from_array((1000 * cube).astype("uint16")))


@pytest.mark.parametrize("strip_bytes", [1, 3000, 2**20])
def test_broken_bands_and_pixels_are_counted_over_all_strips(
    cube: np.ndarray, strip_bytes: int
) -> None:
    cube[1, 2, 3] = np.nan
    cube[1, 2, 20] = np.inf
    cube[11, 6, 17] = -np.inf
    message = r"bands 3, 17 and 20 \(counted from 0\) hold NaN or infinite values in 2 pixels; mark"
    with pytest.raises(InvalidInputError, match=message):
        check_values(Scene.from_array(cube), strip_bytes=strip_bytes)


def test_missing_pixels_are_left_out(cube: np.ndarray) -> None:
    cube[3] = np.nan
    check_values(Scene.from_array(cube, nodata=float("nan")))


def test_missing_pixels_do_not_hide_a_constant_band(cube: np.ndarray) -> None:
    cube[:, :, 5] = 0.5
    cube[0] = -1
    with pytest.raises(InvalidInputError, match=r"vary in each band, but band 5 .* has the same"):
        check_values(Scene.from_array(cube, nodata=-1))


@pytest.mark.parametrize("strip_bytes", [1, 2**20])
def test_constant_bands_are_named(cube: np.ndarray, strip_bytes: int) -> None:
    cube[:, :, [0, 9]] = 2
    with pytest.raises(InvalidInputError, match=r"bands 0 and 9 .* have the same value"):
        check_values(Scene.from_array(cube), strip_bytes=strip_bytes)
    check_values(Scene.from_array(cube), allow_constant=True)


def test_a_band_that_is_constant_in_each_strip_only_passes() -> None:
    cube = np.repeat(np.arange(6.0)[:, None, None], 4, axis=1)
    check_values(Scene.from_array(cube), strip_bytes=1)


def test_a_scene_without_measured_pixels_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="all hold the nodata value 0"):
        check_values(Scene.from_array(np.zeros((2, 2, 2)), nodata=0))


@pytest.mark.parametrize(
    ("bands", "words"),
    [
        ([4], "band 4"),
        ([4, 5], "bands 4 and 5"),
        (range(6), "bands 0, 1, 2, 3, 4 and 5"),
        (range(9), "bands 0, 1, 2, 3, 4 and 4 more"),
    ],
)
def test_many_bands_are_listed_shortly(bands: list[int], words: str) -> None:
    assert name_bands(bands) == f"{words} (counted from 0)"
