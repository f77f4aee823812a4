"""A whole experiment, step by step: Indian Pines becomes a map that says how sure it is.

Run it with `python examples/quickstart.py`. It takes a few minutes and downloads nothing.
"""
# ruff: noqa: T201 - a script may print

from pathlib import Path

import pdml

data = pdml.load_dataset("indian_pines")
scene, labels = data.scene, data.labels
split = pdml.split_random(labels, train=0.2, validation=0.1, seed=0)
recipe = pdml.load_recipe("quick")
standardiser = pdml.fit_standardiser(scene, fit_on=recipe.fit_on, indices=split.train.indices)
source = pdml.PatchSource(scene, standardiser, patch_size=recipe.patch_size)
spec = pdml.model_spec(recipe, n_bands=scene.n_bands, n_classes=split.n_classes)
trained = pdml.train(source, split, spec, recipe, seed=0, on_epoch=print)
bundle = pdml.Bundle(
    trained.model, standardiser, source.border, split.class_names, labels.colours, about={}
)
class_map = pdml.map_scene(bundle, scene)
predicted = class_map.classes.ravel()[split.test.indices]
scores = pdml.score(split.test.classes, predicted, class_names=split.class_names)
pdml.save_class_map(Path("runs/quickstart/map.npz"), class_map)
picture = pdml.overview_picture(scene, class_map, labels=labels)
pdml.save_picture(picture, Path("runs/quickstart/map.png"))

near = pdml.leakage(split, recipe.patch_size).own_patch_share
print(f"OA {scores.oa:.4f}, AA {scores.aa:.4f}, kappa {scores.kappa:.4f}, random split, seed 0;")
print(f"{near:.1%} of the test pixels have a training pixel inside their own patch.")
