"""Gabor filters against scikit-image, a sum over a window, and waves with a known answer."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
from skimage.filters import gabor

from pdml.patches.features.gabor import Gabor, gabor_magnitude

IMAGE = np.random.default_rng(0).normal(size=(40, 30))


@pytest.mark.parametrize("angle", [0.0, math.pi / 2])
def test_along_rows_and_columns_it_is_the_filter_of_scikit_image(angle: float) -> None:
    real, imaginary = gabor(IMAGE, frequency=1 / 5, theta=angle, mode="reflect")
    found = gabor_magnitude(IMAGE, wavelength=5, angle=angle)
    # scikit-image does not bring the cut window to a sum of 1.
    np.testing.assert_allclose(found, np.hypot(real, imaginary), rtol=0.01)


def test_in_any_direction_it_is_a_sum_over_a_window() -> None:
    wavelength, angle, place = 3.0, 0.6, (20, 14)
    std = wavelength * 0.5622  # of a Gabor filter with a bandwidth of one octave
    half = math.ceil(3 * std)
    total, weights = 0j, 0.0
    for row in range(-half, half + 1):
        for col in range(-half, half + 1):
            weight = math.exp(-(row**2 + col**2) / (2 * std**2))
            along = col * math.cos(angle) + row * math.sin(angle)
            value = IMAGE[place[0] - row, place[1] - col]
            total += weight * value * cmath.exp(2j * math.pi * along / wavelength)
            weights += weight
    found = gabor_magnitude(IMAGE, wavelength=wavelength, angle=angle)
    assert found[place] == pytest.approx(abs(total) / weights, rel=1e-3)


def test_a_wave_is_found_by_the_filter_of_its_length_and_direction_alone() -> None:
    rows, cols = np.indices((64, 64))
    kind = Gabor()
    for number in range(8):
        wavelength, angle = (8, 16)[number // 4], number % 4 * math.pi / 4
        wave = np.cos(2 * math.pi * (cols * math.cos(angle) + rows * math.sin(angle)) / wavelength)
        found = kind.channels(wave)
        np.testing.assert_array_equal(found[0], wave)
        middle = found[1:, 32, 32]
        assert middle.argmax() == number
        assert middle[number] == pytest.approx(0.5, abs=0.01)  # half the wave goes either way
        assert np.delete(middle, number).max() < 0.2


def test_an_even_image_has_next_to_no_wave_in_it() -> None:
    assert Gabor().channels(np.full((30, 30), 7.0))[1:].max() < 7 * 0.005


def test_the_defaults_are_27_channels() -> None:
    assert Gabor().n_channels(200) == 27
