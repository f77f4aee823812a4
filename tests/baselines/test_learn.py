"""`learn`: one call for networks and classifiers, and what is known of a run afterwards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pdml
from pdml.baselines.learn import SEARCH, learn
from pdml.baselines.method import method_recipe
from pdml.datasets.synthetic import synthetic_scene
from pdml.errors import InvalidInputError
from pdml.experiments.run_metrics import leakage_record, method_record
from pdml.splits.random import split_random
from pdml.splits.split import Split
from pdml.training.inputs import patch_source
from pdml.training.loop import Trained, train
from pdml.training.recipe import Recipe

SCENE, LABELS = synthetic_scene(20, 20, n_bands=12, n_classes=3, parcel_pixels=6, seed=0)
SPLIT = split_random(LABELS, train=0.3, validation=0.1, seed=0)
SMALL = {"backbone_options": {"n_kernels": 4, "n_spectral_features": 8}, "epochs": 1}


def test_a_network_is_trained_by_the_loop_to_the_same_bits() -> None:
    recipe = Recipe().changed({**SMALL, "precision": "32"})
    source = patch_source(SCENE, SPLIT, recipe)
    ours, plain = learn(source, SPLIT, recipe, seed=1), train(source, SPLIT, recipe, seed=1)
    assert isinstance(ours, Trained)
    assert ours.validation_oa == ours.history[ours.best_epoch - 1]["validation_oa"]
    assert ours.seconds.keys() == {"train", "validate"}
    for name, value in plain.model.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), ours.model.state_dict()[name].numpy())


def test_a_classifier_keeps_its_search_and_takes_it_up_only_when_resumed(tmp_path: Path) -> None:
    recipe = method_recipe("svm")
    source = patch_source(SCENE, SPLIT, recipe)
    learn(source, SPLIT, recipe, folder=tmp_path)
    keep = tmp_path / SEARCH
    found = keep.read_text(encoding="utf-8")
    keep.write_text(found.replace('"gamma": ', '"gamma": 1'), encoding="utf-8")
    taken = learn(source, SPLIT, recipe, folder=tmp_path, resume=True).model.state_dict()
    assert float(taken["learner.gamma"]) != pytest.approx(
        float(learn(source, SPLIT, recipe, folder=tmp_path).model.state_dict()["learner.gamma"])
    )
    assert keep.read_text(encoding="utf-8") == found


def test_a_classifier_needs_two_classes() -> None:
    recipe = method_recipe("rf")
    source = patch_source(SCENE, SPLIT, recipe)
    first = SPLIT.train[np.flatnonzero(SPLIT.train.classes == 0)]
    split = Split(first, SPLIT.validation, SPLIT.test, SPLIT.scene_shape, SPLIT.class_names)
    with pytest.raises(InvalidInputError) as caught:
        learn(source, split, recipe)
    assert str(caught.value) == (
        "the classifier 'rf' needs training pixels of at least 2 classes, got one class only: "
        "'class 1'"
    )


def test_the_loop_refuses_a_classical_recipe() -> None:
    recipe = method_recipe("svm")
    with pytest.raises(InvalidInputError) as caught:
        train(patch_source(SCENE, SPLIT, recipe), SPLIT, recipe)
    assert str(caught.value) == (
        "train trains networks, the learner of this recipe is 'svm'; use pdml.learn, which does "
        "both"
    )


def test_the_classifier_of_scenes_takes_a_method() -> None:
    model = pdml.SceneClassifier(pdml.method_recipe("svm"), random_state=0).fit(SCENE, SPLIT)
    class_map = model.predict_map(SCENE)
    assert model.scores(SCENE, SPLIT).oa > 0.8
    assert not class_map.has_probability


def test_what_a_run_is_called() -> None:
    svm = method_recipe("svm")
    assert method_record(svm, "svm") == {"method": "svm", "status": "exact"}
    assert method_record(svm, "") == {"method": "svm"}
    assert method_record(Recipe(), "") == {"method": "pdml"}
    assert method_record(Recipe(), "ssatt under PDML") == {"method": "ssatt under PDML"}


def test_the_leakage_of_single_pixels_is_that_of_the_paper_s_patches() -> None:
    assert leakage_record(SPLIT, 1) == leakage_record(SPLIT, 5)
    assert leakage_record(SPLIT, 3)["patch_size"] == 3
