"""A model of features is stored, read back, and sees in a map what it saw in training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pdml.embeddings.model import Model
from pdml.errors import InvalidInputError, UnreadableFileError
from pdml.inference.bundle import Bundle, load_bundle, make_bundle, save_bundle
from pdml.inference.footprint import footprint_of
from pdml.inference.mapper import map_scene
from pdml.inference.whole_features import left_beside_features
from pdml.patches.source import PatchSource
from pdml.scenes.scene import Scene
from pdml.splits.per_class import split_per_class
from pdml.splits.split import Split
from pdml.training.inputs import model_spec, n_inputs, patch_source
from pdml.training.loop import Trained, train
from pdml.training.recipe import Recipe
from tests.training.tiny import scene_and_labels

SHORT = {"epochs": 1, "embedding_size": 4, "precision": "32"}
RECIPES = {
    "ecnn": {"features": "profiles", "patch_size": 5, "feature_options": {"area": [5, 20]}},
    "gcnn": {"features": "gabor", "patch_size": 5, "head_kernel": 1},
    "sae": {
        "features": "bands_and_components",
        "patch_size": 7,
        "backbone_options": {"pretraining_epochs": 1},
    },
}


def trained_on(scene: Scene, backbone: str) -> tuple[Trained, PatchSource, Split]:
    values: dict[str, Any] = {**SHORT, **RECIPES[backbone], "backbone": backbone}
    _, labels = scene_and_labels()
    split = split_per_class(labels, train_per_class=10, validation_per_class=5, seed=0)
    recipe = Recipe.from_dict(values)
    source = patch_source(scene, split, recipe)
    assert source.n_bands == n_inputs(recipe, scene.n_bands)
    return train(source, split, recipe), source, split


@pytest.fixture(scope="module")
def of_profiles() -> Bundle:
    scene, _ = scene_and_labels()
    trained, source, split = trained_on(scene, "ecnn")
    return make_bundle(trained.model, source, split.class_names)


@pytest.mark.parametrize("backbone", RECIPES)
def test_a_map_is_the_prediction_from_the_patches_of_training(
    backbone: str, tmp_path: Path
) -> None:
    scene, _ = scene_and_labels()
    trained, source, split = trained_on(scene, backbone)
    save_bundle(tmp_path, make_bundle(trained.model, source, split.class_names))
    bundle = load_bundle(tmp_path)
    mapped = PatchSource(
        bundle.seen(scene), bundle.standardiser, patch_size=source.patch_size, border=bundle.border
    )
    assert torch.equal(mapped.table, source.table)
    found = map_scene(bundle, scene, tile_pixels=7)
    with torch.no_grad():
        _, logits = trained.model(source.gather(torch.arange(400)))
    expected = logits.softmax(1).view(20, 20, 3).numpy()
    np.testing.assert_allclose(found.probability, expected, rtol=1e-4, atol=1e-5)


def test_tiles_of_any_size_see_the_features_of_the_whole_scene(of_profiles: Bundle) -> None:
    scene, _ = scene_and_labels()
    whole = map_scene(of_profiles, scene)
    tiled = map_scene(of_profiles, scene, tile_pixels=8)
    np.testing.assert_array_equal(tiled.probability, whole.probability)


def test_another_scene_of_another_size_is_mapped_with_the_fitted_components(
    of_profiles: Bundle,
) -> None:
    scene, _ = scene_and_labels()
    cube = scene.read()[:13, 2:].copy()
    cube[3, 4] = -7.0
    found = map_scene(of_profiles, Scene.from_array(cube, nodata=-7.0))
    assert found.probability.shape == (13, 18, 3)
    assert not found.measured[3, 4]
    assert found.measured.sum() == 13 * 18 - 1


def test_a_model_of_bands_is_stored_as_before(tmp_path: Path) -> None:
    scene, labels = scene_and_labels()
    split = split_per_class(labels, train_per_class=10, seed=0)
    recipe = Recipe(backbone_options={"n_kernels": 4, "n_spectral_features": 8})
    source = patch_source(scene, split, recipe)
    model = Model(model_spec(recipe, n_bands=30, n_classes=3))
    bundle = make_bundle(model, source, split.class_names)
    assert bundle.features is None
    assert bundle.seen(scene) is scene
    save_bundle(tmp_path, bundle)
    assert '"features"' not in (tmp_path / "model.json").read_text()


def test_a_stored_kind_that_is_not_known_here_is_refused(
    of_profiles: Bundle, tmp_path: Path
) -> None:
    save_bundle(tmp_path, of_profiles)
    path = tmp_path / "model.json"
    path.write_text(path.read_text().replace('"profiles"', '"profile"'))
    with pytest.raises(UnreadableFileError, match="unknown value of features 'profile'; did you"):
        load_bundle(tmp_path)


def test_a_scene_with_as_many_bands_as_there_are_channels_is_refused(of_profiles: Bundle) -> None:
    n_channels = of_profiles.model.spec.n_bands
    scene = Scene.from_array(np.zeros((20, 20, n_channels)))
    with pytest.raises(
        InvalidInputError, match=rf"model has 30, the scene has {n_channels}; select"
    ):
        map_scene(of_profiles, scene)


def test_a_scene_too_large_for_its_features_is_refused_with_what_it_needs(
    of_profiles: Bundle,
) -> None:
    features = of_profiles.features
    assert features is not None
    with pytest.raises(InvalidInputError) as error:
        left_beside_features(features, (5000, 4000), memory_bytes=2 * 10**9)
    assert str(error.value) == (
        "features = 'profiles' are computed for the whole scene at once, which needs 26.1 GB of "
        "memory for 5000 x 4000 pixels, got 2 GB; say --memory 26100MB or more, or map parts of "
        "the scene one by one"
    )


def test_what_features_leave_of_the_memory_is_for_tiles(of_profiles: Bundle) -> None:
    features = of_profiles.features
    assert features is not None
    left = left_beside_features(features, (100, 100), memory_bytes=10**9)
    assert left == 10**9 - 100 * 100 * 4 * features.n_channels
    assert left_beside_features(None, (10**6, 10**6), memory_bytes=10**9) == 10**9


@pytest.mark.parametrize("backbone", ["ssrn", "spectral_mlp"])
def test_the_footprint_of_a_model_of_components_is_measured_on_components(backbone: str) -> None:
    recipe = Recipe(backbone=backbone, n_components=9)
    model = Model(model_spec(recipe, n_bands=30, n_classes=3))
    assert footprint_of(model).n_bands == 9
