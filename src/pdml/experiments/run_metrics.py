"""What stands in `metrics.json`: scores with everything that they depend on."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np
import torch

import pdml
from pdml.embeddings.model import n_parameters
from pdml.evaluation.metrics import Metrics
from pdml.evaluation.score_map import score_map
from pdml.experiments.subject import Subject
from pdml.inference.class_map import ClassMap
from pdml.splits.leakage import leakage
from pdml.splits.split import Split
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
        leak = leakage(split, recipe.patch_size)
        metrics["leakage"] = {
            "patch_size": leak.patch_size,
            "own_patch_share": leak.own_patch_share,
            "overlap_share": leak.overlap_share,
        }
        metrics = {**metrics, **score_map(class_map, split).to_dict()}
    watched = [row for row in trained.history if "test_oa_watched" in row]
    if watched:
        best = max(watched, key=lambda row: row["test_oa_watched"])
        metrics["best_on_test"] = {"oa": best["test_oa_watched"], "epoch": int(best["epoch"])}
    return metrics


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
