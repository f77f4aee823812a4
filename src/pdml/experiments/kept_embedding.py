"""Embeddings of some test pixels before and after training, kept for t-SNE."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from pdml.atomic import atomic_path
from pdml.embeddings.predict import predict_pixels
from pdml.evaluation.embedding_plot import MOST_POINTS, stratified_sample
from pdml.patches.source import PatchSource
from pdml.splits.split import Split
from pdml.training.loop import Learnt, Trained


def save_embeddings(
    path: Path, trained: Learnt, source: PatchSource, split: Split, *, seed: int
) -> None:
    """Writes means of some test pixels by the untrained and the trained network, if it is one."""
    if not isinstance(trained, Trained):
        return
    pixels = split.test if len(split.test) else split.train
    chosen = pixels[stratified_sample(pixels.classes, MOST_POINTS, seed=seed)]
    indices = torch.from_numpy(chosen.indices).to(source.table.device)
    means = {
        when: predict_pixels(model, source, indices).mean.cpu().numpy()
        for when, model in {"before": trained.untrained, "after": trained.model}.items()
    }
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, classes=chosen.classes, **means)
