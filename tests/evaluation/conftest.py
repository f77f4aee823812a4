"""A small scene with labels and a class map, and the metrics of a run."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.evaluation.metrics import Metrics
from pdml.inference.class_map import ClassMap
from pdml.scenes.labels import LabelMap
from pdml.scenes.scene import Scene

NAMES = ("corn", "soy", "woods")


@pytest.fixture
def scene() -> Scene:
    cube = np.random.default_rng(0).random((12, 20, 9)).astype(np.float32)
    return Scene.from_array(cube, name="field")


@pytest.fixture
def labels() -> LabelMap:
    codes = np.zeros((12, 20), dtype=np.int64)
    codes[:4], codes[4:8, :10], codes[8:, 5:] = 1, 2, 3
    return LabelMap.from_array(codes, class_names=NAMES)


@pytest.fixture
def class_map() -> ClassMap:
    probability = np.random.default_rng(1).dirichlet(np.ones(3), size=(12, 20)).astype(np.float32)
    measured = np.ones((12, 20), dtype=bool)
    measured[:, -3:] = False
    probability[~measured] = 0
    variance = np.random.default_rng(2).random((12, 20))
    return ClassMap(probability, variance, measured, NAMES)


@pytest.fixture
def metrics() -> Metrics:
    return {
        "scene": "Field 7",
        "dataset": None,
        "synthetic": False,
        "twin": False,
        "method": "PDML",
        "oa": 0.9,
        "aa": 0.85,
        "kappa": 0.8,
        "nll": 0.3,
        "brier": 0.2,
        "ece": 0.05,
        "per_class": {
            "corn": {"recall": 1.0, "support": 12},
            "soy & hay": {"recall": 0.75, "support": 8},
            "woods": {"recall": None, "support": 0},
        },
        "confusion": [[12, 0, 0], [2, 6, 0], [0, 0, 0]],
        "split": {
            "strategy": "random",
            "train": 0.2,
            "seed": 3,
            "counts": {"train": [1200, 2, 3], "validation": [1, 1, 1], "test": [12, 8, 0]},
        },
        "leakage": {"patch_size": 5, "own_patch_share": 0.984, "overlap_share": 1.0},
        "seed": 3,
        "epochs": 40,
        "best_epoch": 31,
        "validation_oa": 0.95,
        "seconds": {"map": 1.25, "train": 133.0},
        "versions": {"pdml": "0.1.0", "python": "3.11.9"},
        "command": "pdml train field.mat --seed 3",
        "parameters": 363432,
    }
