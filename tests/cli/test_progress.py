"""Progress: a bar on a terminal, lines elsewhere, never silent for long."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from pdml.cli import plain_progress
from pdml.cli.epoch_text import Pace, epoch_in_words
from pdml.cli.live_progress import LiveProgress
from pdml.cli.plain_progress import PlainProgress
from pdml.cli.progress import show_progress
from pdml.training.history import Row


def _row(epoch: int, *, seconds: float = 2.0) -> Row:
    return {
        "epoch": epoch,
        "total": 1.5,
        "pairs": 0.5,
        "variance": 0.01,
        "classes": 0.99,
        "validation_oa": 0.981234,
        "seconds": seconds,
        "validation_seconds": 1.0,
    }


def test_an_epoch_fits_on_a_line_of_80() -> None:
    text = epoch_in_words(_row(1))
    assert text == "validation OA 98.12 %, loss 1.500: pairs 0.500, variance 0.010, classes 0.990"
    assert len(text) <= 78


def test_terms_that_a_recipe_leaves_out_are_not_shown() -> None:
    assert epoch_in_words({"total": 12345.6, "pairs": 0.0, "variance": 0.0}) == "loss 1.23e+04"


def test_the_time_left_follows_the_last_epochs() -> None:
    pace = Pace()
    for epoch in range(1, 11):
        pace.add(_row(epoch, seconds=100.0 if epoch <= 5 else 2.0))
    # Five epochs of 2 s and 1 s of validation: 3 s each.
    assert pace.left(20) == "1 min 0 s left"
    assert pace.left(0) == "done"


def test_a_file_gets_a_line_for_each_tenth_of_the_epochs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with PlainProgress() as progress:
        progress.stage("train")
        for epoch in range(1, 101):
            progress.epoch(_row(epoch), 100)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "train ..."
    told = [int(line.split()[1]) for line in lines[1:]]
    assert told == [1, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
    assert lines[2].endswith("4 min 30 s left")  # 90 epochs of 3 s


def test_slow_epochs_get_a_line_each(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_progress, "SECONDS_BETWEEN_LINES", 0.0)
    with PlainProgress() as progress:
        for epoch in range(1, 5):
            progress.epoch(_row(epoch), 1000)
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_epochs_from_before_a_resume_are_told_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with PlainProgress(n_before=50) as progress:
        for epoch in range(1, 61):
            progress.epoch(_row(epoch), 100)
    told = [int(line.split()[1]) for line in capsys.readouterr().out.splitlines()]
    assert told == [50, 60]


def test_a_long_stage_is_not_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with PlainProgress(silence_seconds=0.05) as progress:
        progress.stage("draw")
        time.sleep(0.3)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "draw ..."
    assert lines[1].startswith("draw: still at it, 0.")


@pytest.fixture
def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=80, color_system=None)


def _shown(console: Console) -> str:
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_a_terminal_gets_bar_epoch_loss_and_time_left_within_its_width(
    terminal: Console,
) -> None:
    with LiveProgress(terminal) as progress:
        progress.stage("train")
        progress.epoch(_row(3), 25)
        shown = Console(file=io.StringIO(), width=80, color_system=None)
        shown.print(progress.render())
    first, second = _shown(shown).splitlines()
    assert "train" in first
    assert first.endswith("epoch 3/25, 1 min 6 s left")
    assert len(first) == 80
    assert second.strip() == epoch_in_words(_row(3))


def test_a_terminal_keeps_a_line_of_each_long_stage(
    terminal: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("pdml.cli.live_progress.monotonic", lambda: now[0])
    with LiveProgress(terminal) as progress:
        for stage, seconds in {"standardise": 0.1, "train": 130.0, "map": 4.0}.items():
            progress.stage(stage)
            progress.mapped(1, 2)
            now[0] += seconds
    shown = _shown(terminal)
    assert "train: 2 min 10 s" in shown
    assert "map: 4 s" in shown
    assert "standardise: " not in shown


def test_what_is_not_a_terminal_gets_lines() -> None:
    assert isinstance(show_progress(), PlainProgress)
