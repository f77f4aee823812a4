"""Sweeps whose runs are made up, so that their tables can be worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pdml.experiments.experiment import experiment_named
from pdml.experiments.protocol import PROTOCOLS
from pdml.experiments.sweep.job import FORMAT
from pdml.experiments.sweep.store import SweepFolder

Scores = Mapping[str, Sequence[float]]


def write_sweep(
    path: Path,
    experiment: str,
    oa: Scores,
    *,
    dataset: str = "indian_pines",
    twin: bool = False,
    best_on_test: bool = False,
    n_classes: int = 16,
) -> SweepFolder:
    """A folder with one run per OA; AA is 0.01 and kappa 0.02 below it.

    Args:
        path: The folder.
        experiment: Its name.
        oa: OA of seeds 0, 1, ... by variant; NaN stands for a run that diverged.
        dataset: Its name.
        twin: Whether a twin stands for it.
        best_on_test: Whether the runs watched the test; it is 0.03 above the OA then.
        n_classes: Classes of the scene; each has the OA as its recall.
    """
    folder = SweepFolder(path)
    protocol = PROTOCOLS[dataset]
    folder.open(
        {
            "format": FORMAT,
            "pdml": "0.1.0",
            "experiment": experiment,
            "dataset": dataset,
            "twin": twin,
            "data": "0",
            "split": protocol.split(),
            "recipe": {"epochs": 2},
            "recipe_name": "paper",
            "recipe_epochs": 300,
            "settings": {"epochs": "2", "precision": "32"},
        }
    )
    for variant, scores in oa.items():
        for seed, value in enumerate(scores):
            record = {
                **_common(experiment, variant, seed, twin=twin),
                "split": protocol.split(experiment_named(experiment).variant(variant).train_share),
            }
            scored = value == value  # noqa: PLR0124 - NaN does not equal itself
            record |= _scores(value, n_classes) if scored else {"diverged": "the loss became nan"}
            if best_on_test:
                record["best_on_test"] = {"oa": value + 0.03, "epoch": 1}
            folder.append(record)
    return folder


def _common(experiment: str, variant: str, seed: int, *, twin: bool) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "id": f"{variant}-{seed}",
        "experiment": experiment,
        "variant": variant,
        "seed": seed,
        "twin": twin,
        "counts": {"train": [2000, 55], "validation": [1025], "test": [7169]},
        "leakage": {"patch_size": 5, "own_patch_share": 0.984, "overlap_share": 1.0},
        "versions": {"pdml": "0.1.0", "torch": "2.6"},
        "threads": 2,
        "recipe": {"patch_size": 5},
    }


def _scores(oa: float, n_classes: int) -> dict[str, Any]:
    return {
        "oa": oa,
        "aa": oa - 0.01,
        "kappa": oa - 0.02,
        "validation_oa": oa,
        "per_class": {
            f"class {number}": {"recall": oa, "support": 10} for number in range(1, n_classes + 1)
        },
        "parameters": 1234,
        "seconds": {"epoch": 10 * oa, "test": oa, "train": 100 * oa, "map": 20 * oa},
    }
