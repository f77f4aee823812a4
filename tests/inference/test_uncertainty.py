"""What is learnt of a model's doubts, from which pixels, and that it is stored with the model."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

import pdml
from pdml.embeddings.predict import predict_pixels
from pdml.embeddings.prediction import Prediction
from pdml.errors import InvalidInputError, UnknownNameError
from pdml.inference.bundle import Bundle, load_bundle, make_bundle, save_bundle
from pdml.inference.doubt import DOUBT_SCORES
from pdml.inference.fit_uncertainty import fit_uncertainty, from_held_out
from pdml.inference.mapper import map_scene
from pdml.inference.temperature import tempered
from pdml.inference.uncertainty import Uncertainty
from pdml.patches.source import PatchSource
from pdml.splits.split import Split
from pdml.training.loop import Trained
from pdml.training.recipe import Recipe

TINY = {
    "epochs": 2,
    "patch_size": 3,
    "embedding_size": 6,
    "precision": "32",
    "backbone": "spectral_mlp",
}
POINT = {**TINY, "head": "point", "lambda_pairs": 0.0, "lambda_variance": 0.0}
Run = tuple[pdml.Scene, Trained, PatchSource, Split]


@cache
def trained(head: str = "gaussian") -> Run:
    scene, labels = pdml.synthetic_scene(30, 28, n_bands=12, n_classes=4, parcel_pixels=6, seed=0)
    split = pdml.split_random(labels, train=0.2, validation=0.3, seed=0)
    recipe = Recipe.from_dict(TINY if head == "gaussian" else POINT)
    source = pdml.patch_source(scene, split, recipe)
    return scene, pdml.train(source, split, recipe, seed=0), source, split


def bundle(head: str = "gaussian") -> Bundle:
    _, model, source, split = trained(head)
    uncertainty = fit_uncertainty(model, source, split)
    return make_bundle(model.model, source, split.class_names, uncertainty=uncertainty)


def without(split: Split, *parts: str) -> Split:
    none = split.train[np.zeros(0, dtype=np.int64)]
    return Split(
        split.train,
        none if "validation" in parts else split.validation,
        none if "test" in parts else split.test,
        split.scene_shape,
        split.class_names,
    )


def test_test_pixels_have_no_say() -> None:
    _, model, source, split = trained()
    with_test = fit_uncertainty(model, source, split)
    assert fit_uncertainty(model, source, without(split, "test")).to_dict() == with_test.to_dict()
    assert with_test.n_validation == len(split.validation)


def test_temperature_is_that_of_the_validation_pixels() -> None:
    _, model, source, split = trained()
    known = fit_uncertainty(model, source, split)
    assert known.temperature is not None
    said = predict_pixels(model.model, source, torch.from_numpy(split.validation.indices))
    truth = torch.from_numpy(split.validation.classes)

    def nll(temperature: float) -> float:
        logits = said.probability.double().log() / temperature
        return float(torch.nn.functional.cross_entropy(logits, truth))

    for other in (0.97, 1.03):
        assert nll(known.temperature) <= nll(known.temperature * other)


def test_without_validation_pixels_none_is_fitted_and_doubt_is_the_top_probability() -> None:
    _, model, source, split = trained()
    known = fit_uncertainty(model, source, without(split, "validation"))
    assert known.temperature is None
    assert known.combination is not None
    assert not known.combination.fitted
    assert known.combination.names == ("max_softmax",)
    one = Prediction(torch.tensor([[0.7, 0.1, 0.1, 0.1]]), torch.zeros(1, 6), torch.ones(1))
    assert torch.equal(known.judge(one).probability, one.probability)


def test_a_map_is_calibrated_keeps_its_classes_and_has_the_combined_score() -> None:
    scene, model, source, split = trained()
    judging = bundle()
    plain = map_scene(make_bundle(model.model, source, split.class_names), scene)
    judged = map_scene(judging, scene)
    assert plain.scores == {}
    assert set(judged.scores) == {"doubt"}
    np.testing.assert_array_equal(judged.classes, plain.classes)
    assert judging.uncertainty.temperature is not None
    expected = tempered(
        torch.from_numpy(plain.probability.reshape(-1, 4)), judging.uncertainty.temperature
    )
    np.testing.assert_allclose(judged.probability.reshape(-1, 4), expected, atol=1e-6)


def test_scores_of_a_map_are_those_of_its_pixels_and_leave_no_seams() -> None:
    scene, model, source, _ = trained()
    judging = bundle()
    names = [name for name in DOUBT_SCORES.names() if name != "surroundings"]
    whole = map_scene(judging, scene, scores=names)
    tiled = map_scene(judging, scene, scores=names, tile_pixels=7)
    assert set(whole.scores) == {"doubt", *names}
    said = predict_pixels(
        model.model,
        source,
        torch.arange(30 * 28),
        judge=lambda part: judging.uncertainty.judge(part, names),
    )
    for name, score in whole.scores.items():
        np.testing.assert_array_equal(tiled.scores[name], score)
        np.testing.assert_allclose(score.ravel(), said.scores[name], rtol=1e-4, atol=1e-7)


def test_a_model_is_read_back_with_what_its_doubts_mean(tmp_path: Path) -> None:
    judging = bundle()
    save_bundle(tmp_path, judging)
    again = load_bundle(tmp_path)
    assert again.uncertainty.to_dict() == judging.uncertainty.to_dict()
    for name, tensor in judging.uncertainty.to_tensors().items():
        assert torch.equal(again.uncertainty.to_tensors()[name], tensor)
    scene = trained()[0]
    ours, theirs = map_scene(judging, scene), map_scene(again, scene)
    np.testing.assert_array_equal(ours.scores["doubt"], theirs.scores["doubt"])


def test_a_model_that_was_never_asked_maps_as_before(tmp_path: Path) -> None:
    scene, model, source, split = trained()
    save_bundle(tmp_path, make_bundle(model.model, source, split.class_names))
    again = load_bundle(tmp_path)
    assert again.uncertainty == Uncertainty()
    assert map_scene(again, scene).scores == {}


def test_a_point_embedding_has_the_scores_that_need_no_variance() -> None:
    judging = bundle("point")
    assert judging.uncertainty.combination is not None
    assert judging.uncertainty.combination.names == ("max_softmax", "neighbour_ratio")
    assert map_scene(judging, trained("point")[0], scores=["distance"]).scores["distance"].any()
    assert set(map_scene(judging, trained("point")[0]).scores) == {"doubt"}
    with pytest.raises(InvalidInputError, match=r"must have what 'mismatch' is made of.*leave"):
        map_scene(judging, trained("point")[0], scores=["mismatch"])


def test_a_score_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"doubt 'entropi'.*entropy"):
        map_scene(bundle(), trained()[0], scores=["entropi"])


def test_a_method_with_probabilities_only_is_calibrated_and_scored() -> None:
    rng = np.random.default_rng(0)
    probability = torch.from_numpy(rng.dirichlet(np.ones(3), 200)).float()
    classes = torch.from_numpy(rng.integers(0, 3, 200))
    known = from_held_out(Prediction(probability, torch.zeros(200, 0), None), classes)
    assert known.combination is not None
    assert known.combination.names == ("max_softmax",)
    assert known.n_wrong == int((probability.argmax(1) != classes).sum())
