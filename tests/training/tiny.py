"""A scene, a split and recipes that train in a fraction of a second."""

from __future__ import annotations

from pdml.datasets.render import EASY
from pdml.datasets.synthetic import synthetic_scene
from pdml.embeddings.model import ModelSpec
from pdml.patches.normalise import fit_standardiser
from pdml.patches.source import PatchSource
from pdml.scenes.labels import LabelMap
from pdml.scenes.scene import Scene
from pdml.splits.per_class import split_per_class
from pdml.splits.split import Split
from pdml.training.inputs import model_spec
from pdml.training.recipe import Recipe

SMALL = {"n_kernels": 4, "n_spectral_features": 8}

GAUSSIAN = Recipe(
    patch_size=3,
    backbone_options=SMALL,
    embedding_size=6,
    epochs=4,
    batch_size=16,
    averaging=0.0,
    precision="32",
)
PLAIN = GAUSSIAN.changed(
    {
        "head": "point",
        "classifier": "pooled",
        "dropout": 0.5,
        "lambda_variance": 0.0,
        "lambda_pairs": 0.0,
    }
)


def scene_and_labels(*, n_bands: int = 30, n_classes: int = 3) -> tuple[Scene, LabelMap]:
    """Twenty rows and columns of classes that are easy to tell apart."""
    return synthetic_scene(
        20, 20, n_bands=n_bands, n_classes=n_classes, seed=3, labelled_share=0.8, parcel_pixels=5,
        difficulty=EASY,
    )  # fmt: skip


def scene_and_split(*, n_bands: int = 30, n_classes: int = 3) -> tuple[PatchSource, Split]:
    """Classes that are easy to tell apart; 15 pixels of each to train."""
    scene, labels = scene_and_labels(n_bands=n_bands, n_classes=n_classes)
    split = split_per_class(labels, train_per_class=15, validation_per_class=10, seed=0)
    return PatchSource(scene, fit_standardiser(scene), patch_size=3), split


def spec_for(recipe: Recipe) -> ModelSpec:
    """The network that a recipe describes, for the tiny scene."""
    return model_spec(recipe, n_bands=30, n_classes=3)
