"""A disk that is full while a checkpoint is saved: one line, and the older checkpoint survives."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pdml.training.checkpoint import load_tensors
from pdml.training.monitor import score_epoch
from pdml.training.state import TrainingState
from tests.cli.conftest import TINY, Cli

ROOM_BYTES = 2048  # enough for a history of two epochs, too little for weights


@contextmanager
def _limits_restored() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _full_from_the_second_epoch(state: TrainingState, *rest: object) -> None:
    score_epoch(state, *rest)  # type: ignore[arg-type]
    if state.epoch == 2:
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM_BYTES, most))


def test_the_old_checkpoint_survives_a_full_disk(
    cli: Cli, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pdml.training.loop.SECONDS_BETWEEN_CHECKPOINTS", -1.0)
    monkeypatch.setattr("pdml.training.loop.score_epoch", _full_from_the_second_epoch)
    with _limits_restored():
        outcome = cli(
            "train", "field.npy", "--labels", "gt.npy", "--epochs", "3", *TINY, "--out", "run"
        )
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "cannot write run/checkpoint.safetensors" in outcome.err
    assert "free some space or choose another folder" in outcome.err
    _, about = load_tensors(place / "run" / "checkpoint.safetensors")
    assert about["epoch"] == 1
    assert not list((place / "run").glob(".*"))
    monkeypatch.undo()
    monkeypatch.chdir(place)
    assert cli("train", "--resume", "--out", "run").code == 0
