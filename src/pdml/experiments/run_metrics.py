"""What stands in `metrics.json`: scores with everything that they depend on."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

import pdml
from pdml.baselines.method import METHODS, method_named
from pdml.evaluation.metrics import LeakageRecord, Metrics, OracleRecord
from pdml.evaluation.score_map import score_map
from pdml.experiments.subject import Subject
from pdml.inference.class_map import ClassMap
from pdml.splits.leakage import leakage
from pdml.splits.split import Split
from pdml.training.history import Row
from pdml.training.loop import Learnt
from pdml.training.recipe import NETWORK, Recipe

PATCH_OF_PAPER = 5


def run_metrics(
    subject: Subject,
    split: Split,
    recipe: Recipe,
    trained: Learnt,
    class_map: ClassMap,
    *,
    method: str = "",
) -> Metrics:
    """Everything that a run says about itself, but for its command, its seed and its seconds."""
    about = subject.scene.about
    metrics: Metrics = {
        "scene": subject.scene.name,
        "dataset": subject.dataset,
        "synthetic": bool(about.get("synthetic", False)),
        "twin": bool(about.get("twin", False)),
        **method_record(recipe, method),
        "split": _split_record(split),
        "leakage": None,
        "best_epoch": trained.best_epoch or None,
        "validation_oa": trained.validation_oa,
        "versions": versions(),
        "parameters": trained.model.n_values,
    }
    if trained.history:
        metrics["epochs"] = recipe.epochs
    if len(split.test):
        metrics["leakage"] = leakage_record(split, recipe.patch_size)
        metrics = {**metrics, **score_map(class_map, split).to_dict()}
    if oracle := best_on_test(trained.history):
        metrics["best_on_test"] = oracle
    return metrics


def method_record(recipe: Recipe, method: str) -> Metrics:
    """What the method is called, and whether it is that of its article, if it has a name."""
    if method in METHODS.names():
        return {"method": method, "status": method_named(method).status}
    if recipe.learner != NETWORK:
        return {"method": recipe.learner}
    return {"method": method or ("pdml" if recipe.head == "gaussian" else recipe.backbone)}


def leakage_record(split: Split, patch_size: int) -> LeakageRecord:
    """How near the training pixels of a split are to its test pixels.

    A method of single pixels shares none with a training patch, but its test pixels may lie beside
    training pixels all the same: then it is said how many do in patches of the paper's size.
    """
    leak = leakage(split, patch_size if patch_size > 1 else PATCH_OF_PAPER)
    return {
        "patch_size": leak.patch_size,
        "own_patch_share": leak.own_patch_share,
        "overlap_share": leak.overlap_share,
    }


def best_on_test(history: Sequence[Row]) -> OracleRecord | None:
    """The best accuracy on test pixels of any epoch, where the recipe watched it."""
    watched = [row for row in history if "test_oa_watched" in row]
    if not watched:
        return None
    best = max(watched, key=lambda row: row["test_oa_watched"])
    return {"oa": best["test_oa_watched"], "epoch": int(best["epoch"])}


def _split_record(split: Split) -> dict[str, Any]:
    counts = {part: of.tolist() for part, of in split.counts.items()}
    return {**split.how, "counts": counts}


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    return {
        "pdml": pdml.__version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }
