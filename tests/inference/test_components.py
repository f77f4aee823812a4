"""A model of principal components is stored, read back and maps like its own patches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from pdml.embeddings.model import Model
from pdml.errors import InvalidInputError
from pdml.inference.bundle import load_bundle, make_bundle, save_bundle
from pdml.inference.mapper import map_scene
from pdml.scenes.scene import Scene
from pdml.splits.per_class import split_per_class
from pdml.training.inputs import model_spec, patch_source
from pdml.training.loop import train
from pdml.training.recipe import Recipe
from tests.training.tiny import scene_and_labels

RECIPE = Recipe(
    backbone="dffn", backbone_options={"n_blocks": 1}, n_components=3, patch_size=9, epochs=1,
    embedding_size=4, head_kernel=1, precision="32",
)  # fmt: skip


def test_a_strided_network_on_components_maps_as_its_patches_do(tmp_path: Path) -> None:
    scene, labels = scene_and_labels()
    split = split_per_class(labels, train_per_class=10, validation_per_class=5, seed=0)
    source = patch_source(scene, split, RECIPE)
    assert source.n_bands == 3
    trained = train(source, split, RECIPE)
    save_bundle(tmp_path, make_bundle(trained.model, source, split.class_names))
    found = map_scene(load_bundle(tmp_path), scene, tile_pixels=7)
    with torch.no_grad():
        _, logits = trained.model(source.gather(torch.arange(400)))
    expected = logits.softmax(1).view(20, 20, 3).numpy()
    np.testing.assert_allclose(found.probability, expected, rtol=1e-4, atol=1e-5)


def test_a_scene_with_the_number_of_components_as_bands_is_refused(tmp_path: Path) -> None:
    scene, labels = scene_and_labels()
    split = split_per_class(labels, train_per_class=10, seed=0)
    source = patch_source(scene, split, RECIPE)
    model = Model(model_spec(RECIPE, n_bands=30, n_classes=3))
    bundle = make_bundle(model, source, split.class_names)
    with pytest.raises(InvalidInputError, match="the model has 30, the scene has 3;"):
        map_scene(bundle, Scene.from_array(np.zeros((20, 20, 3))))


def test_more_components_than_bands_are_refused_before_anything_is_built() -> None:
    with pytest.raises(InvalidInputError, match=r"n_components must be at most .*, got 3 for 2"):
        model_spec(RECIPE, n_bands=2, n_classes=3)
