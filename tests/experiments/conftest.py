"""A small scene in files, with published training and test pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pdml.experiments.subject import Subject, open_subject


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with `cube.npy`, `gt.npy`, `train.npy`, `test.npy` and `both.npz`."""
    codes = np.tile(np.array([1, 1, 2, 2, 0, 1], dtype=np.uint8), (6, 1))
    top = np.arange(6)[:, None] < 3
    train, test = np.where(top, codes, 0), np.where(top, 0, codes)
    np.save(tmp_path / "cube.npy", np.random.default_rng(0).random((6, 6, 8)))
    np.save(tmp_path / "gt.npy", codes)
    np.save(tmp_path / "train.npy", train)
    np.save(tmp_path / "test.npy", test)
    np.savez(tmp_path / "both.npz", train=train, test=test)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def subject(place: Path) -> Subject:
    """The scene with its labels."""
    return open_subject("cube.npy", labels="gt.npy")
