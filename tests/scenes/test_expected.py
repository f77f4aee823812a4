"""A scene meets a model: its bands are found, or it is said which are elsewhere and by how much."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.scenes.band_choice import with_bands
from pdml.scenes.expected import Expected, bands_elsewhere
from pdml.scenes.scene import Scene

NM = np.arange(400.0, 500.0, 10.0)
USED = [1, 2, 6]


def scene_of(wavelengths: Any = NM, **known: Any) -> Scene:
    """A scene whose values are the wavelengths, so that a band is known by its value."""
    cube = np.broadcast_to(np.asarray(wavelengths), (3, 4, len(wavelengths)))
    return Scene.from_array(cube, name="other", wavelengths_nm=np.array(wavelengths), **known)


def unknown(n_bands: int) -> Scene:
    return Scene.from_array(np.broadcast_to(np.arange(n_bands), (3, 4, n_bands)), name="other")


EXPECTED = Expected.of(with_bands(scene_of(), USED))


def values(scene: Scene) -> list[float]:
    return [float(value) for value in scene.read()[0, 0]]


def test_it_survives_json() -> None:
    expected = Expected.of(with_bands(scene_of(nodata=-1, unit="1"), USED))
    assert Expected.from_dict(json.loads(json.dumps(expected.to_dict()))) == expected
    assert Expected.from_dict(json.loads(json.dumps(Expected.of(unknown(3)).to_dict()))) == (
        Expected((0, 1, 2), 3)
    )


def test_the_same_bands_are_taken_from_a_file_of_the_same_sensor() -> None:
    assert values(EXPECTED.found_in(scene_of(NM + 2))) == [412, 422, 462]


def test_a_scene_that_has_these_bands_alone_is_taken_as_it_is() -> None:
    scene = scene_of(NM[USED])
    assert EXPECTED.found_in(scene) is scene


def test_bands_in_other_places_are_found_by_their_wavelengths() -> None:
    assert values(EXPECTED.found_in(scene_of([300, *NM[1:]][::-1]))) == [410, 420, 460]
    assert values(EXPECTED.found_in(scene_of(np.delete(NM, 4)))) == [410, 420, 460]


def test_without_wavelengths_the_number_of_bands_decides() -> None:
    assert values(EXPECTED.found_in(unknown(10))) == USED
    assert values(EXPECTED.found_in(unknown(3))) == [0, 1, 2]
    assert (
        values(Expected.of(with_bands(unknown(10), USED)).found_in(scene_of())) == NM[USED].tolist()
    )
    with pytest.raises(InvalidInputError) as refusal:
        EXPECTED.found_in(unknown(7))
    assert str(refusal.value) == (
        "the scene must have the bands that the model was trained on: the model has 3 out of 10, "
        "the scene has 7; select the same bands or train anew"
    )


def test_other_wavelengths_are_named_with_how_far_they_are_off() -> None:
    with pytest.raises(InvalidInputError) as refusal:
        EXPECTED.found_in(scene_of([400, 413, 424.5, 430, 440, 450, 460, 470, 480, 490]))
    assert str(refusal.value) == (
        "the scene must have the bands that the model was trained on: 2 of its 3 lie elsewhere in "
        "'other', which has 10: 410 nm (413 nm in the scene, 3 nm off), 420 nm (424.5 nm in the "
        "scene, 4.5 nm off); map a scene of the same sensor, or train anew"
    )


def test_many_that_are_elsewhere_are_counted() -> None:
    expected = Expected.of(scene_of(np.arange(400.0, 600.0, 10.0)))
    with pytest.raises(InvalidInputError, match=r"20 of its 20 lie .* 440 nm .* off\) and 15 more"):
        expected.found_in(scene_of(np.arange(1400.0, 1600.0, 10.0)))


def test_a_band_may_be_off_by_a_quarter_of_the_distance_to_its_neighbour_and_5_nm() -> None:
    wanted = np.array([400.0, 410, 430, 530])
    off = np.array([2.4, -2.4, 4.9, 5.0])
    assert bands_elsewhere(wanted, wanted + off) == []
    assert bands_elsewhere(wanted, wanted + off * 1.1) == [0, 1, 2, 3]
    assert bands_elsewhere(np.array([400.0]), np.array([404.0])) == []


def test_what_is_odd_is_remarked() -> None:
    expected = Expected.of(scene_of(nodata=-9999, unit="reflectance"))
    assert expected.remarks(scene_of(nodata=0)) == []
    assert expected.remarks(scene_of(nodata=0, unit="Reflectance")) == []
    assert expected.remarks(scene_of(good_bands=NM > 410, unit="radiance")) == [
        "The values of other are in 'radiance', those that the model was trained on in "
        "'reflectance'; the map is right only if both mean the same.",
        "The scene that the model was trained on marks missing pixels with -9999, other marks "
        "none: every pixel gets a class, or say --nodata VALUE.",
        "2 of the 10 bands that the model uses are called bad by the file of other.",
    ]
