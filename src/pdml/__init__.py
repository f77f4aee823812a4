"""Hyperspectral image classification with probabilistic deep metric learning.

The names below are what a script needs from opening a scene to writing its map. Each is imported
from its home when it is first used, so that `import pdml` stays quick and takes no torch.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

# In the order of a run. Type checkers read the same names from `__init__.pyi`.
_HOMES = {
    "Scene": "scenes.scene",
    "LabelMap": "scenes.labels",
    "open_scene": "scenes.open",
    "open_labels": "scenes.open",
    "load_dataset": "datasets.load",
    "dataset_names": "datasets.card",
    "synthetic_scene": "datasets.synthetic",
    "Split": "splits.split",
    "split_random": "splits.random",
    "split_per_class": "splits.per_class",
    "split_blocks": "splits.blocks",
    "split_polygons": "splits.polygons",
    "split_published": "splits.published",
    "leakage": "splits.leakage",
    "fit_standardiser": "patches.normalise",
    "fit_features": "patches.fitted_features",
    "FittedFeatures": "patches.fitted_features",
    "PatchSource": "patches.source",
    "Recipe": "training.recipe",
    "load_recipe": "training.recipe",
    "recipe_names": "training.recipe",
    "patch_source": "training.inputs",
    "train": "training.loop",
    "Bundle": "inference.bundle",
    "make_bundle": "inference.bundle",
    "save_bundle": "inference.bundle",
    "load_bundle": "inference.bundle",
    "ClassMap": "inference.class_map",
    "map_scene": "inference.mapper",
    "save_class_map": "inference.stored_map",
    "load_class_map": "inference.stored_map",
    "score": "evaluation.scores",
    "score_map": "evaluation.score_map",
    "overview_picture": "evaluation.maps",
    "save_picture": "evaluation.picture",
    "SceneClassifier": "estimator",
    "SpectralClassifier": "estimator",
    "PdmlError": "errors",
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - all are strings


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'pdml' has no attribute '{name}'")
    thing: object = getattr(import_module(f"pdml.{_HOMES[name]}"), name)
    globals()[name] = thing
    return thing


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
