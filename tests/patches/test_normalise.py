"""Standardisation against numpy over all chosen pixels at once."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pdml.errors import InvalidInputError, UnknownNameError
from pdml.patches.normalise import Standardiser, fit_standardiser
from pdml.scenes import row_blocks as strips
from pdml.scenes.scene import Scene


def cube_of(n_rows: int = 13, n_cols: int = 7, n_bands: int = 4) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 9000, (n_rows, n_cols, n_bands)).astype(np.uint16)


def test_strips_cover_the_scene_once_and_stay_below_the_size() -> None:
    scene = Scene.from_array(cube_of())
    windows = list(strips.row_blocks(scene, strip_bytes=3 * 7 * 4 * 8))
    assert [window.row_start for window in windows] == [0, 3, 6, 9, 12]
    assert windows[-1].row_stop == 13
    assert {window.shape[1] for window in windows} == {7}
    assert len(list(strips.row_blocks(scene, strip_bytes=1))) == 13


def test_a_scene_gets_zero_mean_and_unit_population_variance() -> None:
    cube = cube_of()
    standardiser = fit_standardiser(Scene.from_array(cube))
    pixels = cube.reshape(-1, 4).astype(float)
    np.testing.assert_allclose(standardiser.mean, pixels.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(standardiser.scale, pixels.std(axis=0), rtol=1e-13)
    applied = standardiser.apply(cube)
    assert applied.dtype == np.float32
    np.testing.assert_allclose(applied.reshape(-1, 4).mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(applied.reshape(-1, 4).std(axis=0), 1, atol=1e-6)


def test_strips_give_what_the_whole_gives_even_far_from_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cube = 1e9 + np.random.default_rng(1).normal(size=(13, 7, 4))

    def one_row(scene: Scene) -> object:
        return strips.row_blocks(scene, strip_bytes=1)

    monkeypatch.setattr("pdml.patches.normalise.row_blocks", one_row)
    standardiser = fit_standardiser(Scene.from_array(cube))
    np.testing.assert_allclose(standardiser.mean, cube.mean(axis=(0, 1)), rtol=1e-14)
    np.testing.assert_allclose(standardiser.scale, cube.std(axis=(0, 1)), rtol=1e-6)


def test_only_training_pixels_are_fitted_when_asked() -> None:
    cube = cube_of()
    indices = np.array([3, 20, 21, 90])
    standardiser = fit_standardiser(Scene.from_array(cube), fit_on="train", indices=indices)
    chosen = cube.reshape(-1, 4)[indices].astype(float)
    np.testing.assert_allclose(standardiser.mean, chosen.mean(axis=0))
    np.testing.assert_allclose(standardiser.scale, chosen.std(axis=0))
    assert standardiser.fit_on == "train"


@pytest.mark.parametrize("nodata", [0.0, np.nan])
def test_pixels_without_data_are_left_out(nodata: float) -> None:
    cube = cube_of().astype(float) + 1
    cube[2:5, 1:3] = nodata
    standardiser = fit_standardiser(Scene.from_array(cube, nodata=nodata))
    missing = np.zeros(cube.shape[:2], dtype=bool)
    missing[2:5, 1:3] = True
    np.testing.assert_allclose(standardiser.mean, cube[~missing].mean(axis=0))
    np.testing.assert_allclose(standardiser.scale, cube[~missing].std(axis=0))


def test_a_band_that_is_constant_over_training_pixels_keeps_its_scale() -> None:
    cube = cube_of().astype(float)
    cube[0, :, 2] = 0.1
    standardiser = fit_standardiser(Scene.from_array(cube), fit_on="train", indices=np.arange(7))
    assert standardiser.scale[2] == 1
    np.testing.assert_allclose(standardiser.apply(cube)[0, :, 2], 0, atol=1e-12)


def test_json_keeps_every_bit() -> None:
    standardiser = fit_standardiser(Scene.from_array(cube_of()))
    back = Standardiser.from_dict(json.loads(json.dumps(standardiser.to_dict())))
    np.testing.assert_array_equal(back.mean, standardiser.mean)
    np.testing.assert_array_equal(back.scale, standardiser.scale)
    assert back.fit_on == "scene"


def test_another_number_of_bands_is_refused_with_both_numbers() -> None:
    standardiser = fit_standardiser(Scene.from_array(cube_of()))
    with pytest.raises(InvalidInputError, match="scene has 3 bands, the model was fitted on 4"):
        standardiser.apply(cube_of(n_bands=3))


def test_unknown_pixels_to_fit_are_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown value of fit_on 'scenes'; did you mean"):
        fit_standardiser(Scene.from_array(cube_of()), fit_on="scenes")


def test_fitting_on_training_pixels_needs_them() -> None:
    scene = Scene.from_array(cube_of())
    with pytest.raises(InvalidInputError, match="needs the training pixels, got none"):
        fit_standardiser(scene, fit_on="train")
    with pytest.raises(InvalidInputError, match="at least one measured pixel, got none with fit"):
        fit_standardiser(scene, fit_on="train", indices=np.array([], dtype=int))


def test_bands_that_are_not_finite_are_refused() -> None:
    cube = cube_of().astype(float)
    cube[3, 3, 1] = np.inf
    cube[4, 3, 3] = np.nan
    with pytest.raises(InvalidInputError, match=r"in 2 bands \(the first is band 1\)"):
        fit_standardiser(Scene.from_array(cube))


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ({"mean": [0.0], "fit_on": "scene"}, "this lacks scale; was the file"),
        ({"mean": [0.0], "scale": [1.0, 2.0], "fit_on": "scene"}, "one positive scale per band"),
        ({"mean": [0.0], "scale": [0.0], "fit_on": "scene"}, "one positive scale per band"),
    ],
)
def test_a_stored_standardiser_that_does_not_fit_together_is_refused(
    stored: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        Standardiser.from_dict(stored)
