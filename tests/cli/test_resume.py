"""`pdml train --resume`: what was not said is read from the folder, what was said must agree."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from pdml.training.monitor import score_epoch
from pdml.training.state import TrainingState
from tests.cli.conftest import TINY, Cli

START = ("train", "field.npy", "--labels", "gt.npy", "--epochs", "3", "--seed", "2", *TINY)


@pytest.fixture
def interrupted(cli: Cli, place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run that was interrupted in its second epoch of three."""

    def interrupt(state: TrainingState, *rest: object) -> None:
        if state.epoch == 2:
            raise KeyboardInterrupt
        score_epoch(state, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr("pdml.training.loop.SECONDS_BETWEEN_CHECKPOINTS", -1.0)
        patched.setattr("pdml.training.loop.score_epoch", interrupt)
        outcome = cli(*START, "--out", "run")
    assert outcome.code == 130
    assert outcome.err.startswith("pdml: interrupted; go on with: pdml train field.npy")
    assert outcome.err.endswith("--out run --resume\n")
    return place / "run"


def test_a_resumed_run_needs_only_its_folder(cli: Cli, interrupted: Path) -> None:
    command = json.loads((interrupted / "run.json").read_text())["command"]
    split = np.load(interrupted / "split.npz")["train_indices"]
    outcome = cli("train", "--resume", "--out", "run")
    assert (outcome.code, outcome.err) == (0, "")
    assert "Goes on after epoch 1 of 3." in outcome.out
    with (interrupted / "history.csv").open(newline="") as file:
        assert [row["epoch"] for row in csv.DictReader(file)] == ["1", "2", "3"]
    metrics = json.loads((interrupted / "metrics.json").read_text())
    assert (metrics["seed"], metrics["command"]) == (2, command)
    np.testing.assert_array_equal(np.load(interrupted / "split.npz")["train_indices"], split)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (["--epochs", "9"], "epochs was 3, now it is 9"),
        (["--seed", "1"], "seed was 2, now it is 1"),
        (["--nodata", "0"], "nodata was None, now it is 0.0"),
        (["--split", "per-class"], "the train pixels differ"),
        (["--recipe", "quick"], "fit_on was 'train', now it is 'scene'"),
    ],
)
def test_what_differs_is_refused_and_the_folder_stays_as_it_was(
    cli: Cli, interrupted: Path, said: list[str], message: str
) -> None:
    before = {file.name: file.read_bytes() for file in interrupted.iterdir()}
    # A recipe that is named again comes with the settings that were given with it.
    settings = ["--epochs", "3", *TINY[:-2]] if said[0] == "--recipe" else []
    outcome = cli("train", "--resume", "--out", "run", *said, *settings)
    assert outcome.code == 2
    assert message in outcome.err
    assert "choose another --out" in outcome.err
    assert {file.name: file.read_bytes() for file in interrupted.iterdir()} == before


def test_resuming_what_was_never_started_starts_it(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[bool] = []

    def note(*_: object, **__: object) -> None:
        started.append(True)
        raise KeyboardInterrupt

    monkeypatch.setattr("pdml.cli.show_run.run", note)
    cli(*START, "--out", "run", "--resume")
    assert started


def test_resuming_nothing_needs_a_scene(cli: Cli) -> None:
    outcome = cli("train", "--resume", "--out", "nowhere")
    assert outcome.code == 2
    assert "a new run needs a scene, got none" in outcome.err
    outcome = cli("train", "--resume")
    assert "say --out DIR, or name the scene" in outcome.err
