"""A sweep on the synthetic scene that takes a second, also as a process that can be killed.

Its arguments are the folder, the experiment, the number of epochs and the number of seeds; it
prints the ids of the runs that it begins.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

from pdml.experiments.sweep.listener import SweepListener
from pdml.experiments.sweep.plan import SweepRequest, plan_sweep
from pdml.experiments.sweep.store import SweepFolder
from pdml.experiments.sweep.workers import run_sweep
from pdml.training import loop

SETTINGS = {
    "patch_size": "3",
    "epochs": "1",
    "embedding_size": "6",
    "batch_size": "32",
    "precision": "32",
    "backbone_options": "{ n_kernels = 4, n_spectral_features = 8 }",
}


def tiny_request(experiment: str = "results", *, n_seeds: int = 1, epochs: int = 1) -> SweepRequest:
    """All variants of an experiment with a tiny network."""
    return SweepRequest(
        experiment,
        "synthetic",
        seeds=tuple(range(n_seeds)),
        recipe="paper",
        settings={**SETTINGS, "epochs": str(epochs)},
    )


class Began(SweepListener):
    """Notes which runs begin, and tells them to whom it may concern."""

    def __init__(self, *, aloud: bool = False) -> None:
        self.ids: list[str] = []
        self.epochs: list[int] = []
        self._aloud = aloud

    def started(self, job_id: str) -> None:
        """A run begins."""
        self.ids.append(job_id)
        if self._aloud:
            sys.stdout.write(f"{job_id}\n")
            sys.stdout.flush()

    def epoch(self, job_id: str, row: dict[str, float]) -> None:
        """An epoch is done, or taken up from a checkpoint."""
        self.epochs.append(int(row["epoch"]))


def run_tiny(
    request: SweepRequest, folder: Path, *, n_workers: int = 1, aloud: bool = False
) -> Began:
    """Runs what is missing, with a checkpoint after each epoch."""
    loop.SECONDS_BETWEEN_CHECKPOINTS = 0.0
    began = Began(aloud=aloud)
    plan = plan_sweep(request)
    run_sweep(request, plan, SweepFolder(folder), n_workers=n_workers, listener=began)
    return began


if __name__ == "__main__":
    torch.set_num_threads(1)
    run_tiny(
        tiny_request(sys.argv[2], epochs=int(sys.argv[3]), n_seeds=int(sys.argv[4])),
        Path(sys.argv[1]),
        aloud=True,
    )
