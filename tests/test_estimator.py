"""The scikit-learn classes: its own checks, and that they do what the functions do."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from jaxtyping import Float, Shaped
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import pdml
from pdml.errors import InvalidInputError, UnknownNameError
from pdml.estimator import SceneClassifier, SpectralClassifier
from pdml.training.recipe import Recipe

TINY = Recipe(
    patch_size=3,
    epochs=2,
    embedding_size=8,
    backbone_options={"n_kernels": 4, "n_spectral_features": 8},
    precision="32",
)
QUICK: dict[str, Any] = {
    "epochs": 6,
    "batch_size": 64,
    "learning_rate": 0.02,
    "settings": {"n_samples": 1},
}


@parametrize_with_checks([SpectralClassifier(**QUICK)])  # type: ignore[untyped-decorator]
def test_single_spectra_are_classified_as_scikit_learn_wants_it(
    estimator: SpectralClassifier, check: Callable[[SpectralClassifier], None]
) -> None:
    check(estimator)


def spectra(
    n: int = 120, n_bands: int = 12
) -> tuple[Float[np.ndarray, "n band"], Shaped[np.ndarray, " n"]]:
    """Spectra of three materials that are easily told apart."""
    generator = np.random.default_rng(0)
    classes = generator.integers(0, 3, size=n)
    slopes = np.array([-1, 0, 1])[classes, None] * np.linspace(-2, 2, n_bands)
    return generator.normal(scale=0.3, size=(n, n_bands)) + slopes, classes


def test_it_works_in_a_pipeline_and_in_a_search_over_parameters() -> None:
    values, classes = spectra()
    names = np.array(["oats", "rye", "wheat"])[classes]
    pipeline = make_pipeline(StandardScaler(), SpectralClassifier(**QUICK, random_state=0))
    search = GridSearchCV(
        pipeline, {"spectralclassifier__embedding_size": [2, 8]}, cv=2, error_score="raise"
    )
    search.fit(values, names)
    assert search.score(values, names) > 0.9
    assert search.classes_.tolist() == ["oats", "rye", "wheat"]


@pytest.mark.parametrize("n_bands", [1, 3, 30])
def test_any_number_of_bands_will_do(n_bands: int) -> None:
    values, classes = spectra(n_bands=n_bands)
    values = values + classes[:, None]  # one band of slope zero tells nothing
    model = SpectralClassifier(**QUICK, random_state=0).fit(values, classes)
    assert model.n_features_in_ == n_bands
    assert model.score(values, classes) > 0.7


def test_spectra_are_classified_as_the_pixels_of_a_scene_of_one_column() -> None:
    values, classes = spectra()
    model = SpectralClassifier(random_state=3, **QUICK).fit(values, classes)
    bundle = model.bundle_
    said = pdml.map_scene(bundle, pdml.Scene.from_array(values[:, None, :]))
    np.testing.assert_allclose(model.predict_proba(values), said.probability[:, 0], atol=1e-5)
    assert bundle.model.has_variance
    assert len(model.history_) == 6


def test_other_networks_can_be_chosen_and_unknown_ones_are_refused() -> None:
    values, classes = spectra()
    options = {"n_kernels": 4, "n_spectral_features": 8}
    model = SpectralClassifier(backbone="ssrn", backbone_options=options, **QUICK)
    assert model.fit(values, classes).predict(values).shape == (120,)
    with pytest.raises(InvalidInputError, match="ssrn needs at least 7 bands, got 3"):
        SpectralClassifier(backbone="ssrn").fit(values[:, :3], classes)
    with pytest.raises(UnknownNameError, match="unknown backbone 'mlp'"):
        SpectralClassifier(backbone="mlp").fit(values, classes)
    with pytest.raises(UnknownNameError, match="unknown recipe key 'lambda'"):
        SpectralClassifier(settings={"lambda": 1}).fit(values, classes)
    with pytest.raises(InvalidInputError, match=r"no scene .*, got features = 'gabor'; leave"):
        SpectralClassifier(settings={"features": "gabor"}).fit(values, classes)
    with pytest.raises(
        InvalidInputError, match=r"needs at least 2 classes, got one class only: '5'"
    ):
        SpectralClassifier().fit(values, np.full(120, 5))


@pytest.fixture(scope="module")
def land() -> tuple[pdml.Scene, pdml.LabelMap, pdml.Split]:
    scene, labels = pdml.synthetic_scene(24, 20, n_bands=12, n_classes=3, parcel_pixels=6, seed=0)
    return scene, labels, pdml.split_per_class(labels, train_per_class=10, seed=0)


Land = tuple[pdml.Scene, pdml.LabelMap, pdml.Split]


def test_a_scene_is_classified_as_by_the_functions_one_by_one(land: Land) -> None:
    scene, _, split = land
    model = SceneClassifier(TINY, random_state=5, device="cpu")
    assert model.fit(scene, split) is model
    source = pdml.patch_source(scene, split, TINY)
    trained = pdml.train(source, split, TINY, seed=5)
    bundle = pdml.make_bundle(trained.model, source, split.class_names)
    expected = pdml.map_scene(bundle, scene)
    found = model.predict_map(scene)
    np.testing.assert_array_equal(found.probability, expected.probability)
    assert model.score(scene, split) == pdml.score_map(expected, split).oa
    np.testing.assert_array_equal(
        model.scores(scene, split).confusion, pdml.score_map(expected, split).confusion
    )
    assert model.classes_.tolist() == list(split.class_names)
    assert model.n_features_in_ == 12
    assert len(model.history_) == 2


def test_labels_that_are_not_split_are_learnt_from_and_scored_as_a_whole(land: Land) -> None:
    scene, labels, _ = land
    model = SceneClassifier(TINY, device="cpu").fit(scene, labels)
    scores = model.scores(scene, labels)
    assert scores.confusion.sum() == len(labels.labelled)
    truth = labels.labelled
    mapped = model.predict_map(scene).classes.ravel()[truth.indices]
    assert model.score(scene, labels) == pytest.approx((mapped == truth.classes).mean())
    assert "validation_oa" not in model.history_[0]
    assert model.bundle_.colours == labels.colours


def test_parameters_are_kept_copied_and_changed_as_scikit_learn_does(land: Land) -> None:
    scene, _, split = land
    model = SceneClassifier("quick", settings={"epochs": 1}, device="cpu")
    copied = clone(model)
    assert copied.get_params() == {
        "recipe": "quick", "settings": {"epochs": 1}, "device": "cpu", "random_state": 0
    }  # fmt: skip
    assert copied.set_params(recipe=TINY, settings=None) is copied
    with pytest.raises(NotFittedError, match="not fitted yet"):
        copied.predict_map(scene)
    fitted = copied.fit(scene, split)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(
        again.predict_map(scene).probability, fitted.predict_map(scene).probability
    )


def test_a_named_recipe_is_loaded_with_the_settings_over_it(land: Land) -> None:
    scene, _, split = land
    options = {"n_kernels": 4, "n_spectral_features": 8}
    settings = {"epochs": 1, "patch_size": 3, "backbone_options": options, "precision": "32"}
    model = SceneClassifier("quick", settings=settings, device="cpu").fit(scene, split)
    assert model.bundle_.model.spec.patch_size == 3
    assert len(model.history_) == 1
    with pytest.raises(UnknownNameError, match="unknown recipe 'quik'; did you mean 'quick'"):
        SceneClassifier("quik").fit(scene, split)


def test_a_scene_with_other_bands_is_refused(land: Land) -> None:
    scene, _, split = land
    model = SceneClassifier(TINY, device="cpu").fit(scene, split)
    with pytest.raises(InvalidInputError, match="the model has 12, the scene has 11"):
        model.predict_map(pdml.Scene.from_array(scene.read()[:, :, :11]))


def test_none_draws_another_seed_each_time(land: Land) -> None:
    values, classes = spectra(n=30)
    state = np.random.RandomState(0)
    model = SpectralClassifier(**{**QUICK, "epochs": 1}, random_state=state)
    first = model.fit(values, classes).predict_proba(values)
    assert not np.array_equal(first, model.fit(values, classes).predict_proba(values))


def test_fitting_leaves_the_global_generator_alone() -> None:
    values, classes = spectra(n=30)
    before = torch.get_rng_state()
    SpectralClassifier(**QUICK, random_state=0).fit(values, classes)
    assert torch.equal(before, torch.get_rng_state())
