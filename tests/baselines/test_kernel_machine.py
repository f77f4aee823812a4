"""The machine beside scikit-learn's own: the same classes for every pixel."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pdml.baselines import grid_search
from pdml.baselines.grid_search import search
from pdml.baselines.kernel_machine import KernelMachine
from pdml.baselines.learn import learn
from pdml.baselines.learner import Examples, checked_options
from pdml.baselines.method import method_recipe
from pdml.datasets.load import load_dataset
from pdml.datasets.synthetic import synthetic_scene
from pdml.embeddings.predict import predict_pixels
from pdml.errors import InvalidInputError, UnknownNameError
from pdml.splits.random import split_random
from pdml.training.inputs import patch_source

GIVEN = {"c": 8.0, "gamma": 0.05}


def blobs(n_classes: int, *, n: int = 120, n_values: int = 6) -> Examples:
    """Clouds that overlap, so that votes are close."""
    random = np.random.default_rng(n_classes)
    classes = random.integers(0, n_classes, n)
    x = random.normal(size=(n, n_values)) + classes[:, None] * np.linspace(0, 0.8, n_values)
    return Examples(x, classes, n_classes)


def fitted(examples: Examples, **options: float) -> KernelMachine:
    return KernelMachine.fit(
        examples, seed=0, options=checked_options(KernelMachine, options), keep=None
    )


def chosen(machine: KernelMachine, x: np.ndarray) -> np.ndarray:
    said: np.ndarray = machine(torch.from_numpy(x)).numpy()
    np.testing.assert_array_equal(np.sort(np.exp(said), axis=1)[:, -2:], [[0.0, 1.0]] * len(x))
    most: np.ndarray = said.argmax(axis=1)
    return most


def test_a_map_of_spectra_is_that_of_a_plain_scikit_learn_pipeline() -> None:
    scene, labels = synthetic_scene(30, 30, n_bands=20, n_classes=5, parcel_pixels=6, seed=2)
    split = split_random(labels, train=0.2, validation=0.1, seed=0)
    recipe = method_recipe("svm").changed({"learner_options": GIVEN})
    source = patch_source(scene, split, recipe)
    model = learn(source, split, recipe).model
    ours = predict_pixels(model, source, torch.arange(900)).classes.numpy()

    spectra = scene.read().reshape(900, 20).astype(np.float64)
    pipeline = make_pipeline(StandardScaler(), SVC(C=GIVEN["c"], gamma=GIVEN["gamma"]))
    pipeline.fit(spectra[split.train.indices], split.train.classes)
    np.testing.assert_array_equal(ours, pipeline.predict(spectra))
    assert len(set(ours.tolist())) == 5


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_votes_are_those_of_scikit_learn(n_classes: int) -> None:
    examples = blobs(n_classes)
    x = np.random.default_rng(9).normal(1, 2, size=(400, 6))
    machine = fitted(examples, **GIVEN)
    plain = SVC(C=GIVEN["c"], gamma=GIVEN["gamma"]).fit(examples.x, examples.classes)
    np.testing.assert_array_equal(chosen(machine, x), plain.predict(x))
    assert machine.sizes["n_vectors"] == len(plain.support_)
    assert not machine.has_probability


def test_a_class_without_training_pixels_is_never_chosen() -> None:
    examples = blobs(3)
    renamed = Examples(examples.x, np.array([0, 2, 4])[examples.classes], 5)
    said = chosen(fitted(renamed, **GIVEN), examples.x)
    plain = SVC(C=GIVEN["c"], gamma=GIVEN["gamma"]).fit(renamed.x, renamed.classes)
    np.testing.assert_array_equal(said, plain.predict(examples.x))


def test_the_search_finds_what_scikit_learn_finds_on_the_same_grid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # With a step of one the first half of the search is the whole grid.
    monkeypatch.setattr(grid_search, "STEP", 1)
    monkeypatch.setattr(grid_search, "C_POWERS", range(4))
    monkeypatch.setattr(grid_search, "GAMMA_POWERS", range(-6, 1))
    examples = blobs(3)
    found = search(examples.x, examples.classes, seed=4)
    folds = StratifiedKFold(5, shuffle=True, random_state=4)
    grid = {"C": 2.0 ** np.arange(4), "gamma": 2.0 ** np.arange(-6, 1)}
    plain = GridSearchCV(SVC(), grid, cv=folds).fit(examples.x, examples.classes)
    scores = {
        (one["C"], one["gamma"]): score
        for one, score in zip(
            plain.cv_results_["params"], plain.cv_results_["mean_test_score"], strict=True
        )
    }
    assert found.accuracy == pytest.approx(scores[found.c, found.gamma])
    assert scores[found.c, found.gamma] == pytest.approx(plain.best_score_)


def test_options_are_checked() -> None:
    with pytest.raises(InvalidInputError, match=r"needs both c and gamma or neither, got c = 2 an"):
        fitted(blobs(2), c=2.0)
    with pytest.raises(UnknownNameError, match=r"option 'gama'; did you mean 'gamma'\?"):
        fitted(blobs(2), gama=2.0)
    with pytest.raises(InvalidInputError, match=r"folds must be a number of type int and not bel"):
        fitted(blobs(2), folds=2.5)


def test_on_indian_pines_not_one_pixel_differs_from_scikit_learn() -> None:
    # Rounded to single precision, other support vectors are found and a few pixels differ.
    data = load_dataset("indian_pines")
    split = split_random(data.labels, train=0.2, validation=0.1, seed=0)
    recipe = method_recipe("svm").changed({"learner_options": {"c": 256.0, "gamma": 2.0**-9}})
    source = patch_source(data.scene, split, recipe)
    model = learn(source, split, recipe).model
    some = np.arange(0, 145 * 145, 4)
    ours = predict_pixels(model, source, torch.from_numpy(some)).classes.numpy()

    spectra = data.scene.read().reshape(145 * 145, 200).astype(np.float64)
    pipeline = make_pipeline(StandardScaler(), SVC(C=256.0, gamma=2.0**-9))
    pipeline.fit(spectra[split.train.indices], split.train.classes)
    np.testing.assert_array_equal(ours, pipeline.predict(spectra[some]))
