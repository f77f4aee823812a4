"""Every ingredient of a recipe works where a class has one labelled pixel, or three."""

from __future__ import annotations

import math
from typing import Any

import pytest

from pdml.splits.per_class import split_per_class
from pdml.training.inputs import patch_source
from pdml.training.loop import train
from tests.training.tiny import GAUSSIAN, scene_and_labels

SWITCHED_ON: list[dict[str, Any]] = [
    {"band_dropout": 0.3, "band_stretch": 0.5},
    {"illumination": 0.2, "shading": 0.1, "tilt": 0.1, "smooth_noise": 0.1},
    {"same_class_mixing": 0.5},
    {"mixup": 0.3},
    {"border_mixing": 0.5},
    {"neighbour_dropout": 0.5, "feature_dropout": 0.3},
    {"label_smoothing": 0.1, "class_balance": 1.0},
    {"averaging": 0.9, "lambda_consistency": 1.0},
    {"average_symmetries": True},
    {"warm_up": 0.3, "least_steps": 9},
    *({"classifier_form": form} for form in ("cosine", "distance", "class_mean")),
    *({"known_neighbours": how} for how in ("left_out", "own_class", "hidden")),
    *({"per_class": 4, "batch_size": size} for size in (4, 32)),
    {"batch_size": 2},  # the last batch has a single pixel
    {"lambda_pairs": 0.0, "head": "point", "classifier": "pooled", "lambda_variance": 0.0},
]


@pytest.mark.parametrize("changes", SWITCHED_ON, ids="-".join)
@pytest.mark.parametrize(("n_train", "n_validation"), [(1, 0), (3, 1)])
def test_an_ingredient_trains_on_a_handful_of_pixels(
    changes: dict[str, Any], n_train: int, n_validation: int
) -> None:
    scene, labels = scene_and_labels()
    split = split_per_class(
        labels, train_per_class=n_train, validation_per_class=n_validation, seed=1
    )
    recipe = GAUSSIAN.changed({"epochs": 2, **changes})
    trained = train(patch_source(scene, split, recipe), split, recipe, seed=0)
    assert all(math.isfinite(row["total"]) for row in trained.history)
    assert (trained.best_epoch > 0) == (n_validation > 0)
