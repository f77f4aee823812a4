"""Principal components against scikit-learn."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.decomposition import PCA

from pdml.errors import InvalidInputError
from pdml.patches.components import with_components
from pdml.patches.normalise import Standardiser, fit_standardiser
from pdml.patches.source import PatchSource
from pdml.scenes.scene import Scene

GENERATOR = np.random.default_rng(0)
MIXED = GENERATOR.normal(size=(60, 6)) @ GENERATOR.normal(size=(6, 6)) + 50
CUBE = MIXED.reshape(10, 6, 6)
TRAIN = np.arange(0, 60, 3)


@pytest.mark.parametrize("fit_on", ["scene", "train"])
def test_components_are_those_of_scikit_learn_up_to_their_sign(fit_on: str) -> None:
    scene = Scene.from_array(CUBE)
    standardiser = fit_standardiser(scene, fit_on=fit_on, indices=TRAIN)
    fitted = with_components(standardiser, scene, n_components=3, indices=TRAIN)
    used = MIXED if fit_on == "scene" else MIXED[TRAIN]
    # scikit-learn divides by n - 1, a standardiser by n.
    expected = PCA(3, whiten=True).fit(used).transform(MIXED) * np.sqrt(len(used) / (len(used) - 1))
    found = fitted.apply(CUBE).reshape(60, 3)
    np.testing.assert_allclose(np.abs(found), np.abs(expected), rtol=1e-4, atol=1e-4)
    assert fitted.apply(CUBE).dtype == np.float32


def test_patches_hold_components_and_the_scene_may_be_read_back_from_json() -> None:
    scene = Scene.from_array(CUBE)
    fitted = with_components(fit_standardiser(scene), scene, n_components=2)
    source = PatchSource(scene, fitted, patch_size=3)
    assert (source.n_bands, fitted.n_bands, fitted.n_values) == (2, 6, 2)
    again = Standardiser.from_dict(json.loads(json.dumps(fitted.to_dict())))
    np.testing.assert_array_equal(again.apply(CUBE), fitted.apply(CUBE))


def test_more_components_than_bands_are_refused() -> None:
    scene = Scene.from_array(CUBE)
    with pytest.raises(InvalidInputError, match="at most the number of bands, got 7 for 6 bands"):
        with_components(fit_standardiser(scene), scene, n_components=7)


def test_more_components_than_the_pixels_span_are_refused() -> None:
    scene, pixels = Scene.from_array(CUBE), np.array([1, 5, 9])
    standardiser = fit_standardiser(scene, fit_on="train", indices=pixels)
    with pytest.raises(InvalidInputError, match="got 3, and 3 pixels have 2; ask for fewer"):
        with_components(standardiser, scene, n_components=3, indices=pixels)


def test_a_projection_of_other_bands_is_refused() -> None:
    stored = fit_standardiser(Scene.from_array(CUBE)).to_dict()
    with pytest.raises(InvalidInputError, match=r"got shape \(2, 1\) for 6 bands"):
        Standardiser.from_dict({**stored, "projection": [[1.0], [2.0]]})
