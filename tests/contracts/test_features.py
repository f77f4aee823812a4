"""What every registered kind of features must do."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pdml.errors import InvalidInputError, UnknownNameError
from pdml.patches.feature_kind import FEATURES, feature_kind
from pdml.patches.fitted_features import FittedFeatures, fit_features
from pdml.scenes.scene import Scene

PER_NAME = pytest.mark.parametrize("name", FEATURES.names())
GENERATOR = np.random.default_rng(0)
CUBE = (GENERATOR.normal(size=(14, 11, 5)) @ GENERATOR.normal(size=(5, 6)) + 9).astype(np.float32)
SCENE = Scene.from_array(CUBE, name="field")
TRAIN = np.arange(0, 154, 5)
NODATA = -1.0


@PER_NAME
def test_features_are_a_scene_of_finite_channels_as_many_as_were_said(name: str) -> None:
    fitted = fit_features(SCENE, name)
    found = fitted.apply(SCENE)
    assert found.shape == (14, 11, feature_kind(name, {}).n_channels(6))
    assert found.source.dtype == np.float32
    assert np.isfinite(found.read()).all()
    assert (found.read().std(axis=(0, 1)) > 0).any()
    assert (found.name, found.nodata) == ("field", None)


@PER_NAME
def test_a_kind_has_the_channels_per_component_that_it_says(name: str) -> None:
    kind = feature_kind(name, {})
    image = np.linspace(0, 1, 90).reshape(9, 10)
    channels = kind.channels(image)
    assert channels.shape == (kind.per_component, 9, 10)
    np.testing.assert_allclose(channels[0] / channels[0].max(), image, atol=1e-3)


@PER_NAME
def test_what_was_stored_gives_the_same_features_of_another_scene(name: str) -> None:
    other = Scene.from_array(CUBE[::-1, :9] * 1.1)
    fitted = fit_features(SCENE, name, {"n_components": 2})
    again = FittedFeatures.from_dict(json.loads(json.dumps(fitted.to_dict())))
    assert again.to_dict() == fitted.to_dict()
    np.testing.assert_array_equal(again.apply(other).read(), fitted.apply(other).read())
    assert again.apply(other).read().std() > 0


@PER_NAME
def test_fitting_on_training_pixels_looks_at_no_other_one(name: str) -> None:
    changed = GENERATOR.normal(size=(154, 6))
    changed[TRAIN] = CUBE.reshape(154, 6)[TRAIN]
    other = Scene.from_array(changed.reshape(CUBE.shape).astype(np.float32))
    fitted = fit_features(SCENE, name, fit_on="train", indices=TRAIN)
    assert fit_features(other, name, fit_on="train", indices=TRAIN).to_dict() == fitted.to_dict()
    assert fitted.to_dict() != fit_features(SCENE, name).to_dict()


@PER_NAME
def test_missing_pixels_stay_missing_and_count_as_the_mean_around_them(name: str) -> None:
    cube = CUBE.copy()
    cube[3:5, 4:7] = NODATA
    scene = Scene.from_array(cube, nodata=NODATA)
    fitted = fit_features(scene, name)
    found = fitted.apply(scene)
    values = found.read()
    missing = np.zeros((14, 11), dtype=bool)
    missing[3:5, 4:7] = True
    np.testing.assert_array_equal(found.measured(values), ~missing)
    assert np.isfinite(values[~missing]).all()
    filled = CUBE.copy()
    filled[missing] = CUBE[~missing].mean(axis=0)
    expected = fitted.apply(Scene.from_array(filled)).read()
    # A component at a step's edge may round to the next one.
    np.testing.assert_allclose(values[~missing], expected[~missing], atol=1.01, rtol=1e-4)


@PER_NAME
def test_an_unknown_option_is_refused(name: str) -> None:
    with pytest.raises(UnknownNameError, match=f"option of features '{name}' 'n_component'; did"):
        feature_kind(name, {"n_component": 3})


@PER_NAME
@pytest.mark.parametrize("value", [0, "four", 2.0, True])
def test_a_number_of_components_that_is_none_is_refused(name: str, value: object) -> None:
    with pytest.raises(InvalidInputError, match="n_components of feature_options must be a whole"):
        feature_kind(name, {"n_components": value})


@PER_NAME
def test_more_components_than_bands_are_refused(name: str) -> None:
    message = "at most the number of bands, got 7 for 6 bands; try n_components = 6"
    with pytest.raises(InvalidInputError, match=message):
        fit_features(SCENE, name, {"n_components": 7})


@PER_NAME
def test_a_scene_with_other_bands_is_refused(name: str) -> None:
    fitted = fit_features(SCENE, name)
    with pytest.raises(InvalidInputError, match="those were 6, the scene has 5; select the same"):
        fitted.apply(Scene.from_array(CUBE[..., :5]))
