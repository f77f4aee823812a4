"""Which bands are shown, and how they are stretched."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.evaluation.colours import NOT_MEASURED, rgb
from pdml.evaluation.false_colour import colour_bands, false_colour
from pdml.scenes.scene import Scene


def scene_with(wavelengths: list[float] | None, n_bands: int = 5) -> Scene:
    known = None if wavelengths is None else np.array(wavelengths)
    return Scene.from_array(np.zeros((2, 2, n_bands), np.float32), wavelengths_nm=known)


def test_bands_nearest_to_red_green_and_blue_light_are_shown() -> None:
    assert colour_bands(scene_with([450.0, 480, 560, 640, 900])) == (3, 2, 1)


def test_wavelengths_go_before_the_customary_bands() -> None:
    assert colour_bands(scene_with([450.0, 480, 560, 640, 900]), (4, 0, 1)) == (3, 2, 1)


def test_an_infrared_scene_shows_its_customary_bands() -> None:
    assert colour_bands(scene_with([1000.0, 1200, 1400, 1600, 2000]), (4, 0, 1)) == (4, 0, 1)


def test_without_any_knowledge_bands_are_fractions_of_the_spectrum() -> None:
    assert colour_bands(scene_with(None, n_bands=101)) == (50, 25, 10)
    assert colour_bands(scene_with(None, n_bands=1)) == (0, 0, 0)


def test_customary_bands_that_the_scene_lacks_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"from 0 to 4, got \(43, 21, 11\)"):
        colour_bands(scene_with(None), (43, 21, 11))


def test_each_band_is_stretched_between_its_percentiles() -> None:
    ramp = np.arange(101, dtype=np.float32).reshape(1, 101, 1) * np.array([1, 10, -5], np.float32)
    picture = false_colour(Scene.from_array(ramp), (0, 1, 2))
    expected = np.clip((np.arange(101) - 2) / 96, 0, 1)  # percentiles 2 and 98 of 0 to 100
    np.testing.assert_allclose(picture[0, :, 0], expected, atol=1e-6)
    np.testing.assert_allclose(picture[0, :, 1], expected, atol=1e-6)
    np.testing.assert_allclose(picture[0, :, 2], expected[::-1], atol=1e-6)


def test_missing_pixels_are_grey_and_do_not_stretch_the_others() -> None:
    cube = np.random.default_rng(0).random((30, 20, 3)).astype(np.float32)
    whole = false_colour(Scene.from_array(cube[:, 5:]), (0, 1, 2))
    cube[:, :5] = -9999
    picture = false_colour(Scene.from_array(cube, nodata=-9999.0), (0, 1, 2))
    np.testing.assert_allclose(picture[:, 5:], whole, atol=1e-6)
    np.testing.assert_allclose(picture[:, :5], np.broadcast_to(rgb([NOT_MEASURED]), (30, 5, 3)))


def test_a_constant_band_is_shown_without_a_warning() -> None:
    picture = false_colour(Scene.from_array(np.full((3, 3, 3), 7.0, np.float32)))
    np.testing.assert_array_equal(picture, 0)
