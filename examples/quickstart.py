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
source = pdml.patch_source(scene, split, recipe)
trained = pdml.train(source, split, recipe, seed=0, on_epoch=print)
doubts = pdml.fit_uncertainty(trained, source, split)
names, colours = labels.class_names, labels.colours
bundle = pdml.make_bundle(trained.model, source, names, colours, uncertainty=doubts)
class_map = pdml.map_scene(bundle, scene)
scores = pdml.score_map(class_map, split)
picture = pdml.overview_picture(scene, class_map, labels=labels)
pdml.save_picture(picture, Path("runs/quickstart/map.png"))
pdml.save_class_map(Path("runs/quickstart/map.npz"), class_map)

near = pdml.leakage(split, recipe.patch_size).own_patch_share
print(f"OA {scores.oa:.4f}, AA {scores.aa:.4f}, kappa {scores.kappa:.4f}, random split, seed 0;")
print(f"{near:.1%} of the test pixels have a training pixel inside their own patch.")
