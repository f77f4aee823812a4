"""What is shown while a sweep runs."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from pdml.cli import sweep_progress
from pdml.cli.sweep_progress import LiveSweep, PlainSweep, outcome, show_sweep
from pdml.experiments.sweep.job import Job
from pdml.experiments.sweep.listener import SweepListener
from pdml.training.recipe import Recipe

LEAKAGE = {"patch_size": 5, "own_patch_share": 0.984, "overlap_share": 1.0}
RECORD = {"oa": 0.9, "aa": 0.8, "kappa": 0.85, "leakage": LEAKAGE}


def job(variant: str, seed: int) -> Job:
    recipe = Recipe(epochs=10)
    return Job("losses", variant, "synthetic", False, "0", {"strategy": "random"}, seed, recipe)


JOBS = [job("A", 0), job("B", 0), job("A", 1)]
FIRST, SECOND, THIRD = (one.id for one in JOBS)


def tell(listener: SweepListener) -> None:
    """One run was finished before, one is finished now, one is at its fifth epoch."""
    listener.planned(JOBS, [FIRST])
    listener.started(SECOND)
    for epoch in range(1, 11):
        listener.epoch(SECOND, {"epoch": epoch, "seconds": 30.0, "validation_seconds": 10.0})
    listener.finished(SECOND, RECORD)
    listener.started(THIRD)
    for epoch in range(1, 6):
        listener.epoch(THIRD, {"epoch": epoch, "seconds": 60.0})


def test_lines_say_what_begins_what_came_of_it_and_how_long_it_takes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with PlainSweep(n_workers=1) as listener:
        tell(listener)
        monkeypatch.setattr(sweep_progress, "SECONDS_BETWEEN_LINES", -1.0)
        listener.epoch(THIRD, {"epoch": 6, "seconds": 60.0})
        listener.waiting(1)
    assert capsys.readouterr().out.splitlines() == [
        "Finished before: 1 of 3 runs.",
        "B, seed 0 ...",
        # ten epochs of the other variant are left, for which 40 s is the best guess
        "B, seed 0: OA 90.00 %, AA 80.00 %, kappa 0.8500, leakage 98.4 %; 2 of 3 runs, about "
        "6 min 40 s left",
        "A, seed 1 ...",
        "A, seed 1: epoch 6 of 10; 2 of 3 runs, about 4 min 0 s left",
        "waiting for 1 run that other processes are doing",
    ]


def test_the_table_has_a_row_per_variant(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    listener = LiveSweep(console, n_workers=2)
    tell(listener)
    listener.waiting(1)
    with console.capture() as shown:
        console.print(listener.render())
    text = shown.get()
    assert "1/2" in text
    assert "seed 1: 5/10" in text
    assert "OA 90.00 %, AA 80.00 %, kappa 0.8500" in text
    # five epochs of 60 s by two workers
    assert "2 of 3 runs, about 2 min 30 s left, waiting for 1" in text


def test_workers_halve_the_time_left() -> None:
    for n_workers, seconds in ((1, 300.0), (2, 150.0)):
        listener = PlainSweep(n_workers)
        tell(listener)
        assert listener.state.seconds_left() == pytest.approx(seconds)


def test_a_run_of_others_that_is_not_ours_is_passed_over() -> None:
    listener = PlainSweep(1)
    listener.planned(JOBS, [])
    listener.finished("unknown", RECORD)
    assert listener.state.finished == set()
    assert listener.state.in_words() == "0 of 3 runs"


def test_a_run_that_diverged_is_called_so() -> None:
    assert outcome({"diverged": "nan"}) == "the loss stopped being a number"


def test_a_terminal_gets_the_table_and_a_file_the_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(show_sweep(n_workers=1), PlainSweep)
    terminal = Console(file=io.StringIO(), force_terminal=True)
    monkeypatch.setattr(sweep_progress, "make_console", lambda: terminal)
    monkeypatch.setenv("TERM", "xterm")
    with show_sweep(n_workers=1) as listener:
        assert isinstance(listener, LiveSweep)
