"""What stands in `metrics.json`: scores with everything that they depend on."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

import pdml
from pdml.embeddings.model import n_parameters
from pdml.evaluation.metrics import LeakageRecord, Metrics, OracleRecord
from pdml.evaluation.score_map import score_map
from pdml.experiments.subject import Subject
from pdml.inference.class_map import ClassMap
from pdml.splits.leakage import leakage
from pdml.splits.split import Split
from pdml.training.history import Row
from pdml.training.loop import Trained
from pdml.training.recipe import Recipe


def run_metrics(
    subject: Subject, split: Split, recipe: Recipe, trained: Trained, class_map: ClassMap
) -> Metrics:
    """Everything that a run says about itself, but for its command, its seed and its seconds."""
    about = subject.scene.about
    metrics: Metrics = {
        "scene": subject.scene.name,
        "dataset": subject.dataset,
        "synthetic": bool(about.get("synthetic", False)),
        "twin": bool(about.get("twin", False)),
        "method": "pdml" if recipe.head == "gaussian" else recipe.backbone,
        "split": _split_record(split),
        "leakage": None,
        "epochs": recipe.epochs,
        "best_epoch": trained.best_epoch or None,
        "validation_oa": None,
        "versions": versions(),
        "parameters": n_parameters(trained.model),
    }
    if trained.best_epoch:
        metrics["validation_oa"] = trained.history[trained.best_epoch - 1]["validation_oa"]
    if len(split.test):
        metrics["leakage"] = leakage_record(split, recipe.patch_size)
        metrics = {**metrics, **score_map(class_map, split).to_dict()}
    if oracle := best_on_test(trained.history):
        metrics["best_on_test"] = oracle
    return metrics


def leakage_record(split: Split, patch_size: int) -> LeakageRecord:
    """How near the training pixels of a split are to its test pixels."""
    leak = leakage(split, patch_size)
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
