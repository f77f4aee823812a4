"""Components and their ranges by scikit-learn, bands that are kept, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import PCA

from pdml.errors import InvalidInputError, PdmlError, UnknownNameError
from pdml.patches.feature_kind import feature_kind
from pdml.patches.fitted_features import FittedFeatures, fit_features
from pdml.scenes.scene import Scene

GENERATOR = np.random.default_rng(0)
SPECTRA = GENERATOR.normal(size=(60, 6)) @ GENERATOR.normal(size=(6, 6)) + 50
SCENE = Scene.from_array(SPECTRA.reshape(10, 6, 6))
TRAIN = np.arange(0, 60, 3)


@pytest.mark.parametrize("fit_on", ["scene", "train"])
def test_components_go_from_0_to_1_over_the_pixels_that_were_fitted(fit_on: str) -> None:
    used = SPECTRA if fit_on == "scene" else SPECTRA[TRAIN]
    components = PCA(3).fit(used)
    low, high = (get(components.transform(used), axis=0) for get in (np.min, np.max))
    expected = (components.transform(SPECTRA) - low) / (high - low)
    options = {"n_components": 3}
    fitted = fit_features(SCENE, "bands_and_components", options, fit_on=fit_on, indices=TRAIN)
    found = fitted.apply(SCENE).read().reshape(60, 9)[:, 6:]
    turned = np.sign((found - 0.5).T @ (expected - 0.5)).diagonal() < 0
    np.testing.assert_allclose(found, np.where(turned, 1 - expected, expected), atol=1e-4)


def test_bands_come_first_and_are_as_they_were() -> None:
    scene = Scene.from_array(SCENE.read().astype(np.float32))
    found = fit_features(scene, "bands_and_components").apply(scene)
    assert found.n_bands == 6 + 4
    np.testing.assert_array_equal(found.read()[..., :6], scene.read())


@pytest.mark.filterwarnings("error")
def test_what_marks_a_missing_pixel_may_be_too_large_for_what_features_are_kept_in() -> None:
    cube = SCENE.read().copy()
    cube[0, 0] = -1e300
    scene = Scene.from_array(cube, nodata=-1e300)
    found = fit_features(scene, "bands_and_components").apply(scene)
    assert np.isnan(found.read()).any(axis=2).sum() == 1


def test_memory_is_counted_with_what_computing_takes() -> None:
    fitted = fit_features(SCENE, "profiles")
    assert fitted.n_channels * 4 == 528
    assert 1300 < fitted.pixel_bytes < 1500  # about 1380 were measured


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("profils", {}, "unknown value of features 'profils'; did you mean 'profiles'?"),
        ("band", {}, "unknown value of features 'band'; did you mean 'bands'?"),
        ("profiles", {"areas": [3]}, "unknown option of features 'profiles' 'areas'; did you mean"),
        ("profiles", {"area": 100}, "area of feature_options must be a list of numbers above 0, "),
        ("profiles", {"inertia": [0.2, 0]}, "inertia of feature_options must be a list of numbers"),
        ("profiles", {"rule": "substractive"}, "unknown rule of feature_options 'substractive'; "),
        ("gabor", {"wavelengths": "8"}, "wavelengths of feature_options must be a list of numbers"),
        ("gabor", {"n_orientations": 0}, "n_orientations of feature_options must be a whole num"),
    ],
)
def test_options_that_cannot_be_are_refused(
    name: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(PdmlError) as error:
        feature_kind(name, options)
    assert str(error.value).startswith(message)


def test_features_that_were_not_stored_by_pdml_are_refused() -> None:
    stored = fit_features(SCENE, "gabor").to_dict()
    del stored["span"]
    with pytest.raises(InvalidInputError, match="these lack span; was the file written by pdml"):
        FittedFeatures.from_dict(stored)
    with pytest.raises(InvalidInputError, match=r"each of 3 components, got shapes \(3,\) and \(2"):
        FittedFeatures.from_dict({**stored, "span": [1.0, 2.0]})
    with pytest.raises(UnknownNameError, match="unknown value of features 'gabr'"):
        FittedFeatures.from_dict({**stored, "span": [1.0, 2.0, 3.0], "name": "gabr"})
