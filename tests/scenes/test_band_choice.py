"""A scene of some bands is that scene, cut along its last axis."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.scenes.band_choice import chosen_bands, nearest_left, with_bands
from pdml.scenes.check import check_values
from pdml.scenes.scene import ChosenBands, Scene
from pdml.scenes.summary import bad_bands
from pdml.scenes.window import Window

CUBE = np.random.default_rng(0).integers(0, 99, (4, 5, 6)).astype(np.uint16)


def scene_of() -> Scene:
    return Scene.from_array(
        CUBE,
        name="field",
        wavelengths_nm=np.array([400.0, 500, 600, 1400, 1900, 2200]),
        good_bands=np.array([True, False, True, True, True, False]),
        nodata=7,
    )


def test_the_values_and_what_is_known_are_those_of_the_bands_that_are_left() -> None:
    scene = chosen_bands(scene_of(), bands="1-5", drop="water,bad")
    assert scene.chosen == ChosenBands((2,), 6)
    assert scene.chosen.left_out == [0, 1, 3, 4, 5]
    assert (scene.shape, scene.source.dtype.name, scene.nodata) == ((4, 5, 1), "uint16", 7)
    assert scene.wavelengths_nm is not None
    assert scene.wavelengths_nm.tolist() == [600]
    assert scene.good_bands is not None
    assert scene.good_bands.tolist() == [True]
    values = scene.read(Window(1, 3, 0, 4))
    assert values.flags.c_contiguous
    np.testing.assert_array_equal(values, CUBE[1:3, 0:4, [2]])


def test_bands_of_bands_keep_their_numbers_in_the_file() -> None:
    scene = with_bands(with_bands(scene_of(), [1, 3, 5]), [1, 2])
    assert scene.chosen == ChosenBands((3, 5), 6)
    assert bad_bands(scene) == [5]
    np.testing.assert_array_equal(scene.read(), CUBE[..., [3, 5]])


def test_all_bands_are_the_scene_itself() -> None:
    scene = scene_of()
    assert chosen_bands(scene) is scene
    assert chosen_bands(scene, bands="0-5") is scene


def test_no_band_at_all_is_refused() -> None:
    with pytest.raises(InvalidInputError) as refusal:
        chosen_bands(scene_of(), bands="1,5", drop="bad")
    assert str(refusal.value) == (
        "at least one band must be left, but all 2 bands of 'field' that are taken are dropped "
        "again; drop fewer"
    )


def test_a_band_without_content_is_named_by_its_number_in_the_file() -> None:
    cube = CUBE.copy()
    cube[..., [4, 5]] = 3
    scene = with_bands(Scene.from_array(cube, name="field"), [1, 4, 5])
    with pytest.raises(InvalidInputError, match=r"bands 4 and 5 .* nothing: --drop-bands 4-5$"):
        check_values(scene)


def test_the_customary_picture_is_made_of_the_nearest_bands_that_are_left() -> None:
    assert nearest_left((1, 3, 5), ChosenBands((0, 3, 4), 6)) == (0, 1, 2)
    assert nearest_left((1, 3, 5), None) == (1, 3, 5)
    assert nearest_left(None, ChosenBands((0,), 6)) is None
