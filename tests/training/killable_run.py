"""A run that is started as a process of its own, so that it can be killed.

Its argument is the folder of the run; it goes on from a checkpoint that is there.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch

from pdml.training import loop
from tests.training.tiny import GAUSSIAN, scene_and_split

RECIPE = GAUSSIAN.changed({"epochs": 80, "averaging": 0.9})


def run(folder: Path | None) -> loop.Trained:
    """Trains, with a checkpoint after each epoch."""
    loop.SECONDS_BETWEEN_CHECKPOINTS = 0.0
    return loop.train(*scene_and_split(), RECIPE, seed=4, folder=folder, resume=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    run(Path(sys.argv[1]))
