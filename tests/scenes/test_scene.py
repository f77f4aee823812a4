"""Scenes in memory."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.scenes.scene import Scene
from pdml.scenes.window import Window


def test_a_window_of_a_scene_is_that_part_of_the_array() -> None:
    cube = np.arange(4 * 5 * 3).reshape(4, 5, 3)
    scene = Scene.from_array(cube)
    np.testing.assert_array_equal(scene.read(Window(1, 3, 2, 5)), cube[1:3, 2:5])
    assert (scene.n_rows, scene.n_cols, scene.n_bands) == (4, 5, 3)


def test_spectra_are_contiguous_however_the_array_was_stored() -> None:
    scene = Scene.from_array(np.asfortranarray(np.ones((4, 5, 3))))
    assert scene.read().flags.c_contiguous


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((4, 5)), r"must be a cube \(row, col, band\), got an array of shape \(4, 5\)"),
        (np.zeros((4, 0, 3)), r"got an array of shape \(4, 0, 3\)"),
        (np.zeros((2, 2, 2), dtype=complex), "must hold real numbers, got values of type complex"),
    ],
)
def test_what_is_not_a_cube_of_numbers_is_refused(array: np.ndarray, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        Scene.from_array(array)


def test_wavelengths_must_be_as_many_as_bands() -> None:
    with pytest.raises(InvalidInputError, match="got 2 wavelengths for 3 bands"):
        Scene.from_array(np.zeros((2, 2, 3)), wavelengths_nm=np.array([400.0, 500.0]))


def test_a_pixel_is_missing_when_all_its_bands_are_nodata() -> None:
    cube = np.ones((1, 3, 2))
    cube[0, 0] = -9999
    cube[0, 1, 0] = -9999  # a single band that holds the value by chance
    scene = Scene.from_array(cube).with_nodata(-9999)
    np.testing.assert_array_equal(scene.measured(scene.read()), [[False, True, True]])


def test_a_pixel_is_missing_when_any_band_is_nan_and_nan_is_nodata() -> None:
    cube = np.ones((1, 2, 2))
    cube[0, 0, 1] = np.nan
    scene = Scene.from_array(cube, nodata=float("nan"))
    np.testing.assert_array_equal(scene.measured(cube), [[False, True]])


def test_every_pixel_is_measured_where_there_is_no_nodata_value() -> None:
    scene = Scene.from_array(np.zeros((2, 2, 2)))
    assert scene.measured(scene.read()).all()
