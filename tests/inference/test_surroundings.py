"""Listening to the surroundings, against loops over pixels."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from jaxtyping import Float

import pdml
from pdml.embeddings.predict import predict_pixels
from pdml.inference.bundle import Bundle, load_bundle, make_bundle, save_bundle
from pdml.inference.doubt import DOUBT_SCORES
from pdml.inference.fit_surroundings import (
    ROUNDS,
    WITHOUT_VALIDATION,
    fit_surroundings,
    smallest_sufficient,
)
from pdml.inference.fit_uncertainty import fit_uncertainty
from pdml.inference.judged import judged_pixels
from pdml.inference.mapper import map_scene
from pdml.inference.surroundings import (
    Surroundings,
    guide_of,
    likeness,
    spread,
    usual_difference,
    weights_between,
    within_reach,
)
from pdml.inference.temperature import tempered
from pdml.inference.uncertainty import Uncertainty
from pdml.patches.normalise import fit_standardiser
from pdml.patches.source import PatchSource
from pdml.scenes.scene import Scene
from pdml.splits.split import Split
from pdml.training.loop import Trained
from pdml.training.recipe import Recipe

N_ROWS, N_COLS, N_CLASSES, N_VALUES = 7, 6, 3, 4
SCALE = 1.3


def some() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Probabilities, spectra, and where there are some."""
    rng = np.random.default_rng(0)
    probability = rng.dirichlet(np.ones(N_CLASSES), (N_ROWS, N_COLS)).transpose(2, 0, 1)
    present = rng.random((N_ROWS, N_COLS)) > 0.2
    guide = torch.from_numpy(rng.normal(size=(N_ROWS, N_COLS, N_VALUES)))
    return torch.from_numpy(probability * present), guide, torch.from_numpy(present)


def by_loops(rounds: int) -> Float[np.ndarray, "class_ row col"]:
    """Every pixel asks its neighbours, one after the other."""
    probability, guide, present = (each.numpy() for each in some())
    for _ in range(rounds):
        heard = probability.copy()
        for row, col in np.argwhere(present):
            total, weight = probability[:, row, col].copy(), 1.0
            for r in range(max(0, row - 1), min(N_ROWS, row + 2)):
                for c in range(max(0, col - 1), min(N_COLS, col + 2)):
                    if (r, c) == (row, col) or not present[r, c]:
                        continue
                    distance = float(np.linalg.norm(guide[row, col] - guide[r, c]))
                    w = (1 + (distance / SCALE) ** 2) ** -2
                    total += w * probability[:, r, c]
                    weight += w
            heard[:, row, col] = total / weight
        probability = heard
    return probability


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_probabilities_flow_as_a_loop_over_pixels_says(rounds: int) -> None:
    probability, guide, present = some()
    found = spread(probability, weights_between(guide, present, SCALE), rounds=rounds)
    np.testing.assert_allclose(found.numpy(), by_loops(rounds), rtol=1e-12)
    sums = found.sum(dim=0)
    torch.testing.assert_close(sums, present.double())


def test_like_neighbours_are_averaged_and_an_edge_is_kept() -> None:
    probability = torch.zeros(2, 1, 6)
    probability[0, 0, :3], probability[1, 0, 3:] = 1, 1
    present, flat = torch.ones(1, 6, dtype=torch.bool), torch.zeros(1, 6, 1)
    mixed = spread(probability, weights_between(flat, present, 1.0), rounds=1)
    assert mixed[0, 0].tolist() == pytest.approx([1, 1, 2 / 3, 1 / 3, 0, 0])
    edge = flat.clone()
    edge[0, 3:] = 100.0
    kept = spread(probability, weights_between(edge, present, 1.0), rounds=16)
    torch.testing.assert_close(kept, probability, atol=1e-6, rtol=0)


def test_what_spectra_count_for_one_another() -> None:
    zero = torch.zeros(3, 2)
    other = torch.tensor([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    assert likeness(zero, other, 5.0).tolist() == pytest.approx([1, 1 / 4, 1 / 25])


@pytest.mark.parametrize("n_bands", [3, 8, 29])
def test_a_spectrum_is_the_means_of_stretches_of_its_bands(n_bands: int) -> None:
    scene = Scene.from_array(np.random.default_rng(0).normal(size=(9, 8, n_bands)))
    source = PatchSource(scene, fit_standardiser(scene), patch_size=5)
    standardised = source.pixels(torch.arange(72)).numpy()
    parts = np.array_split(standardised, min(8, n_bands), axis=1)
    expected = np.stack([part.mean(axis=1) for part in parts], axis=1)
    found = guide_of(source)
    np.testing.assert_allclose(found.reshape(72, -1).numpy(), expected, atol=1e-6)


def test_the_usual_difference_is_the_median_over_neighbours() -> None:
    _, guide, present = some()
    row, col = np.argwhere(present[1:-1, 1:-1].numpy())[0] + 1
    expected = [
        float((guide[row, col] - guide[row + down, col + right]).norm())
        for down, right in ((0, 1), (1, -1), (1, 0), (1, 1))
        if present[row + down, col + right]
    ]
    found = usual_difference(guide, present, torch.tensor([row * N_COLS + col]))
    assert found in expected
    lower = sum(value <= found for value in expected)
    assert lower == (len(expected) + 1) // 2  # the lower one of two middle values
    nobody = torch.zeros_like(present)
    assert usual_difference(guide, nobody, torch.tensor([0])) == 0


def test_within_reach_is_what_a_square_covers() -> None:
    present = some()[2].numpy()
    asked = torch.tensor([3, 20])
    found = within_reach(asked, present, 2)
    places = [(0, 3), (3, 2)]
    for row in range(N_ROWS):
        for col in range(N_COLS):
            near = any(abs(row - r) <= 2 and abs(col - c) <= 2 for r, c in places)
            assert found[row, col] == (near and present[row, col])


def test_the_first_choice_that_is_no_worse_than_the_best_is_taken() -> None:
    best = torch.tensor([1.0, 1.0, 1.0, 1.0])
    clearly_worse = torch.tensor([2.0, 2.1, 1.9, 2.0])
    a_little_worse = torch.tensor([1.5, 0.7, 1.4, 0.6])
    assert smallest_sufficient([clearly_worse, a_little_worse, best]) == 1
    assert smallest_sufficient([clearly_worse, best, a_little_worse]) == 1
    assert smallest_sufficient([best, a_little_worse]) == 0


Run = tuple[Scene, Trained, PatchSource, Split]
TINY = {
    "epochs": 30,
    "patch_size": 3,
    "embedding_size": 6,
    "precision": "32",
    "backbone": "spectral_mlp",
    "fit_on": "scene",
    "classifier": "centre",
    "head_kernel": 1,
}


@cache
def trained() -> Run:
    """Large parcels under much noise: single pixels are often wrong, their surroundings are not."""
    scene, labels = pdml.synthetic_scene(40, 38, n_bands=12, n_classes=4, parcel_pixels=12, seed=0)
    cube = scene.read()
    noise = np.random.default_rng(0).normal(0, 0.8 * cube.std(), scene.shape)
    noisy = Scene.from_array(cube + noise)
    split = pdml.split_random(labels, train=0.1, validation=0.2, seed=0)
    recipe = Recipe.from_dict(TINY)
    source = pdml.patch_source(noisy, split, recipe)
    return noisy, pdml.train(source, split, recipe, seed=0), source, split


def listening() -> Bundle:
    _, model, source, split = trained()
    known = fit_uncertainty(model, source, split, surroundings="auto")
    return make_bundle(model.model, source, split.class_names, uncertainty=known)


def empty(split: Split, part: str) -> Split:
    none = split.train[np.zeros(0, dtype=np.int64)]
    return replace(split, validation=none) if part == "validation" else replace(split, test=none)


def test_listening_helps_where_neighbours_are_of_one_class() -> None:
    _, model, source, split = trained()
    known = listening().uncertainty
    assert known.surroundings is not None
    assert known.surroundings.rounds in ROUNDS[1:]
    assert known.reach == known.surroundings.rounds
    indices = torch.from_numpy(split.test.indices)
    truth = torch.from_numpy(split.test.classes)
    alone = predict_pixels(model.model, source, indices)
    heard = judged_pixels(model.model, known, source, indices)
    wrong_alone = int((alone.classes != truth).sum())
    assert wrong_alone > 10
    assert int((heard.classes != truth).sum()) < 0.7 * wrong_alone
    assert heard.alone is not None
    assert torch.equal(heard.alone.argmax(dim=1), alone.classes)


def test_nobody_listens_where_neighbours_are_of_other_classes() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(1, 4, (24, 24))
    spectra = rng.normal(size=(4, 12))
    scene = Scene.from_array(spectra[codes] + rng.normal(0, 1.5, (24, 24, 12)))
    labels = pdml.LabelMap.from_array(codes)
    split = pdml.split_random(labels, train=0.4, validation=0.3, seed=0)
    recipe = Recipe.from_dict(TINY)
    source = pdml.patch_source(scene, split, recipe)
    assert fit_surroundings(pdml.train(source, split, recipe, seed=0), source, split) is None


def test_test_pixels_have_no_say_in_how_far_to_listen() -> None:
    _, model, source, split = trained()
    with_test = fit_surroundings(model, source, split)
    assert fit_surroundings(model, source, empty(split, "test")) == with_test


def test_without_validation_pixels_a_few_rounds_are_taken() -> None:
    _, model, source, split = trained()
    found = fit_surroundings(model, source, empty(split, "validation"))
    assert found is not None
    assert found.rounds == WITHOUT_VALIDATION
    assert found.temperature is None
    known = fit_uncertainty(model, source, empty(split, "validation"), surroundings="auto")
    assert known.combination is not None
    assert known.combination.names == ("surroundings",)


def test_a_map_listens_as_its_pixels_do_and_leaves_no_seams() -> None:
    scene, model, source, _ = trained()
    bundle = listening()
    names = [*DOUBT_SCORES.names(), "unknown"]
    whole = map_scene(bundle, scene, scores=names)
    said = judged_pixels(
        model.model, bundle.uncertainty, source, torch.arange(40 * 38), wanted=names
    )
    np.testing.assert_allclose(
        whole.probability.reshape(-1, 4), said.probability, rtol=1e-4, atol=1e-6
    )
    for tile_pixels in (5, 17):
        tiled = map_scene(bundle, scene, scores=names, tile_pixels=tile_pixels)
        np.testing.assert_array_equal(tiled.probability, whole.probability)
        for name, score in whole.scores.items():
            np.testing.assert_array_equal(tiled.scores[name], score)
            np.testing.assert_allclose(score.ravel(), said.scores[name], rtol=1e-3, atol=1e-5)


def test_a_pixel_without_data_is_not_listened_to() -> None:
    scene, _, _, _ = trained()
    bundle = listening()
    cube = scene.read()
    cube[10:14, 10:14] = -9999
    holed = Scene.from_array(cube, nodata=-9999)
    whole = map_scene(bundle, holed)
    assert (whole.probability[10:14, 10:14] == 0).all()
    sums = whole.probability.sum(axis=2)[whole.measured]
    np.testing.assert_allclose(sums, 1, rtol=1e-5)
    np.testing.assert_array_equal(
        map_scene(bundle, holed, tile_pixels=9).probability, whole.probability
    )


def test_a_model_is_read_back_with_how_far_it_listens(tmp_path: Path) -> None:
    bundle = listening()
    save_bundle(tmp_path, bundle)
    again = load_bundle(tmp_path)
    assert again.uncertainty.surroundings == bundle.uncertainty.surroundings
    assert again.halo_pixels == bundle.halo_pixels > 1
    scene = trained()[0]
    ours, theirs = map_scene(bundle, scene), map_scene(again, scene)
    np.testing.assert_array_equal(ours.probability, theirs.probability)


def test_a_patch_in_no_scene_is_judged_by_itself() -> None:
    _, model, source, split = trained()
    known = listening().uncertainty
    alone = predict_pixels(model.model, source, torch.from_numpy(split.test.indices))
    said = known.judge(alone, ["surroundings"])
    assert known.surroundings is not None
    assert known.surroundings.temperature is not None
    assert known.temperature is not None
    expected = tempered(alone.probability, known.surroundings.temperature)
    assert said.alone is not None
    torch.testing.assert_close(said.alone, expected)
    torch.testing.assert_close(said.probability, tempered(expected, known.temperature))


def test_a_model_from_before_there_were_surroundings_is_read() -> None:
    known = listening().uncertainty
    values = known.to_dict()
    del values["surroundings"]
    assert Uncertainty.from_parts(values, known.to_tensors()).surroundings is None
    assert Surroundings.from_dict(Surroundings(2, 1.0).to_dict()) == Surroundings(2, 1.0)


def test_a_classical_method_of_single_pixels_listens_as_well() -> None:
    scene, _, _, split = trained()
    recipe = Recipe.from_dict({"learner": "rf", "patch_size": 1, "fit_on": "scene"})
    source = pdml.patch_source(scene, split, recipe)
    forest = pdml.learn(source, split, recipe, seed=0)
    known = fit_uncertainty(forest, source, split, surroundings="auto")
    assert known.surroundings is not None
    bundle = make_bundle(forest.model, source, split.class_names, uncertainty=known)
    whole = map_scene(bundle, scene)
    alone = map_scene(make_bundle(forest.model, source, split.class_names), scene)
    assert pdml.score_map(whole, split).oa > pdml.score_map(alone, split).oa + 0.02
    tiled = map_scene(bundle, scene, tile_pixels=11)
    np.testing.assert_array_equal(tiled.probability, whole.probability)
