"""What every registered method must do: learn an easy scene, map it, be stored and read back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from pdml.baselines.learn import learn
from pdml.baselines.method import METHODS, NetworkMethod, method_named, method_recipe
from pdml.datasets.synthetic import synthetic_scene
from pdml.errors import InvalidInputError
from pdml.evaluation.score_map import score_map
from pdml.experiments.buildable import require_buildable
from pdml.inference.bundle import Bundle, load_bundle, make_bundle, save_bundle
from pdml.inference.class_map import ClassMap
from pdml.inference.mapper import map_scene
from pdml.scenes.labels import LabelMap
from pdml.scenes.scene import Scene
from pdml.splits.per_class import split_per_class
from pdml.splits.split import Split
from pdml.training.inputs import model_spec, n_inputs, patch_source
from pdml.training.recipe import Recipe

NAMES = METHODS.names()
N_BANDS = 32
FEW_BANDS = {"cnn3d_27": 4}
"""Of networks that would take minutes on more."""

SIDE = 28
BASE = Recipe().changed({"epochs": 8, "batch_size": 10, "averaging": 0.0, "precision": "32"})
MORE_EPOCHS = {"cnn3d_27": 20, "msdn_sa": 16}
SHORT = {"pretraining_epochs": 20}


@dataclass(frozen=True)
class Known:
    """A scene that is easy to classify."""

    scene: Scene
    labels: LabelMap
    split: Split


@cache
def known(n_bands: int = N_BANDS) -> Known:
    scene, labels = synthetic_scene(
        SIDE, SIDE, n_bands=n_bands, n_classes=3, parcel_pixels=10, seed=1
    )
    split = split_per_class(labels, train_per_class=14, validation_per_class=2, seed=0)
    return Known(scene, labels, split)


def known_to(name: str) -> Known:
    return known(FEW_BANDS.get(name, N_BANDS))


def recipe_of(name: str) -> Recipe:
    """On one protocol, with less pre-training where there is some."""
    recipe = method_recipe(name, BASE.changed({"epochs": MORE_EPOCHS.get(name, BASE.epochs)}))
    if recipe.backbone == "sae":
        return recipe.changed({"backbone_options": {**recipe.backbone_options, **SHORT}})
    return recipe


def fitted(name: str, **changes: object) -> Bundle:
    case, recipe = known_to(name), recipe_of(name).changed(changes)
    source = patch_source(case.scene, case.split, recipe)
    model = learn(source, case.split, recipe, seed=3).model
    return make_bundle(model, source, case.split.class_names)


@cache
def mapped(name: str) -> tuple[Bundle, ClassMap]:
    bundle = fitted(name)
    return bundle, map_scene(bundle, known_to(name).scene)


@pytest.mark.parametrize("name", NAMES)
def test_an_easy_scene_is_solved_and_mapped_as_a_whole(name: str) -> None:
    case = known_to(name)
    _, class_map = mapped(name)
    assert class_map.shape == (SIDE, SIDE)
    assert class_map.measured.all()
    np.testing.assert_allclose(class_map.probability.sum(axis=2), 1, atol=1e-5)
    assert score_map(class_map, case.split).aa > 0.75


@pytest.mark.parametrize("name", NAMES)
def test_what_is_stored_and_read_back_maps_the_same(name: str, tmp_path: Path) -> None:
    bundle, class_map = mapped(name)
    save_bundle(tmp_path, bundle)
    again = map_scene(load_bundle(tmp_path), known_to(name).scene, tile_pixels=16)
    np.testing.assert_array_equal(again.probability, class_map.probability)
    assert again.has_probability == class_map.has_probability


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_bits(name: str) -> None:
    one, other = (fitted(name, epochs=1).model.state_dict() for _ in range(2))
    assert one.keys() == other.keys()
    for key, value in one.items():
        np.testing.assert_array_equal(value.numpy(), other[key].numpy())


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_learnt_without_labels(name: str) -> None:
    case, recipe = known_to(name), recipe_of(name)
    source = patch_source(case.scene, case.split, recipe)
    unlabelled = replace(case.split, train=case.split.train[np.zeros(0, dtype=np.int64)])
    with pytest.raises(InvalidInputError) as caught:
        learn(source, unlabelled, recipe)
    assert str(caught.value) == (
        "training needs labelled pixels, the training part of the split has none; split labels "
        "that are there"
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_declaration_is_complete_and_each_of_its_recipes_can_be_built(name: str) -> None:
    method = method_named(name)
    assert method.title
    assert method.article
    assert method.ours
    assert method.name_in_tables
    recipes = [method_recipe(name, BASE), method_recipe(name)]
    if isinstance(method, NetworkMethod) and method.under_pdml is not None:
        recipes += [method_recipe(name, BASE, pdml=True)]
        assert recipes[-1].head == "gaussian"
    for recipe in recipes:
        spec = model_spec(recipe, n_bands=n_inputs(recipe, 103), n_classes=9)
        require_buildable(spec, recipe)
