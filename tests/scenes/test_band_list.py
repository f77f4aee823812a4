"""Bands are named by numbers, wavelengths and words; what cannot be meant is refused."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.scenes.band_list import bands_in, ranges
from pdml.scenes.scene import Scene

WAVELENGTHS = np.array([450.0, 950, 1300, 1350, 1400, 1450, 1500, 1800, 1880, 1950, 2200])


def scene_of(**known: object) -> Scene:
    return Scene.from_array(np.ones((2, 2, len(WAVELENGTHS))), name="field", **known)


def told() -> Scene:
    good = np.ones(len(WAVELENGTHS), dtype=bool)
    good[[0, 4]] = False
    return scene_of(wavelengths_nm=WAVELENGTHS, good_bands=good)


@pytest.mark.parametrize(
    ("text", "bands"),
    [
        ("3", [3]),
        ("0-2,5", [0, 1, 2, 5]),
        ("5, 0 - 2", [0, 1, 2, 5]),
        ("2-4,3-5", [2, 3, 4, 5]),
        ("1350-1450nm", [3, 4, 5]),
        ("1350 - 1449.9 nm", [3, 4]),
        ("1.35-1.45um", [3, 4, 5]),
        ("1350nm-1.45µm", [3, 4, 5]),
        ("1350nm-1450nm, 10", [3, 4, 5, 10]),
        ("water", [3, 4, 5, 7, 8, 9]),
        ("bad", [0, 4]),
        ("BAD,Water,2", [0, 2, 3, 4, 5, 7, 8, 9]),
    ],
)
def test_each_way_to_name_bands_finds_them(text: str, bands: list[int]) -> None:
    assert bands_in(text, told(), option="--bands") == bands


def test_water_is_nothing_to_a_sensor_that_does_not_see_so_far() -> None:
    scene = Scene.from_array(np.ones((2, 2, 2)), wavelengths_nm=np.array([450.0, 650.0]))
    assert bands_in("water", scene, option="--drop-bands") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "red",
            "--bands must name bands by numbers from 0 (3 or 10-19), by wavelengths "
            "(1350-1450nm), as water or as bad, with commas between them, got 'red'",
        ),
        ("3,,4", "got ''"),
        ("650nm", "got '650nm'"),
        (
            "11",
            "--bands must name bands from 0 to 10 of 'field', the smaller number first, got '11'; "
            "`pdml info` lists them",
        ),
        ("7-3", "got '7-3'"),
        (
            "500-600nm",
            "--bands 500-600nm must name at least one band, but the 11 bands of 'field' from 450 "
            "to 2200 nm have none there; name the shorter wavelength first, or leave it out",
        ),
        ("1450-1350nm", "name the shorter wavelength first"),
    ],
)
def test_what_names_no_band_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        bands_in(text, told(), option="--bands")
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "water",
            "--drop-bands water needs a scene with wavelengths, 'field' has none; name bands by "
            "numbers from 0",
        ),
        ("1-2um", "--drop-bands 1-2um needs a scene with wavelengths"),
        (
            "bad",
            "--drop-bands bad needs a file that says which bands are bad, that of 'field' does "
            "not; name them by number or wavelength",
        ),
    ],
)
def test_what_the_file_does_not_say_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        bands_in(text, scene_of(), option="--drop-bands")
    assert message in str(refusal.value)


def test_runs_of_numbers_are_drawn_together_and_can_be_read_again() -> None:
    assert ranges([]) == ""
    assert ranges([0, 1, 2, 7, 9, 10]) == "0-2,7,9-10"
    assert bands_in(ranges([0, 1, 2, 7, 9, 10]), told(), option="--bands") == [0, 1, 2, 7, 9, 10]
