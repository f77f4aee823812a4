"""Sweeps: nothing is done twice, and what was broken off goes on."""

from __future__ import annotations

import queue
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pdml.errors import DivergedError, InvalidInputError
from pdml.evaluation.scores import score
from pdml.experiments.sweep import execute, work, workers
from pdml.experiments.sweep.claim import claimed
from pdml.experiments.sweep.plan import SweepRequest, plan_sweep
from pdml.experiments.sweep.store import Record, SweepFolder
from pdml.experiments.sweep.workers import run_sweep
from pdml.training import loop
from tests.docs.blocks import ROOT
from tests.experiments.sweep.tiny_sweep import Began, run_tiny, tiny_request

NOT_COMPARED = ("seconds", "threads")


@pytest.fixture(autouse=True)
def _usual_checkpoints() -> Iterator[None]:
    before = loop.SECONDS_BETWEEN_CHECKPOINTS
    yield
    loop.SECONDS_BETWEEN_CHECKPOINTS = before


def records(folder: Path) -> dict[str, Record]:
    return SweepFolder(folder).records(twin=False)


def without_times(record: Record) -> Record:
    return {name: value for name, value in record.items() if name not in NOT_COMPARED}


def process(folder: Path, what: str, *, epochs: int, n_seeds: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.experiments.sweep.tiny_sweep", str(folder), what]
    return subprocess.Popen(
        [*command, str(epochs), str(n_seeds)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def test_a_sweep_that_is_finished_does_nothing_when_called_again(tmp_path: Path) -> None:
    first = run_tiny(tiny_request(), tmp_path)
    lines = (tmp_path / "runs.jsonl").read_bytes()
    again = run_tiny(tiny_request(), tmp_path)
    assert (len(first.ids), again.ids) == (2, [])
    assert (tmp_path / "runs.jsonl").read_bytes() == lines
    more = run_tiny(tiny_request(n_seeds=2), tmp_path)
    assert len(more.ids) == 2
    assert len(records(tmp_path)) == 4


def test_a_line_says_what_the_stored_predictions_say(tmp_path: Path) -> None:
    run_tiny(tiny_request(), tmp_path)
    folder = SweepFolder(tmp_path)
    for name, record in records(tmp_path).items():
        with np.load(folder.predictions(name)) as stored:
            names = tuple(record["per_class"])
            again = score(stored["truth"], stored["predicted"], class_names=names)
        assert record["oa"] == again.oa
        assert (record["aa"], record["kappa"]) == (again.aa, again.kappa)
        assert record["confusion"] == again.confusion.tolist()
        assert record["counts"]["test"] == again.support.tolist()
    assert list((tmp_path / "work").iterdir()) == []  # neither checkpoints nor locks


def test_a_run_that_was_killed_goes_on_and_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    request = tiny_request("tsne", epochs=30)
    with process(killed, "tsne", epochs=30, n_seeds=1) as running:
        checkpoint = killed / "work" / plan_sweep(request).jobs[0].id / "checkpoint.safetensors"
        waited_until = time.monotonic() + 60
        while not checkpoint.exists() and time.monotonic() < waited_until:
            time.sleep(0.01)
        running.kill()
    assert checkpoint.exists()
    assert records(killed) == {}
    run_tiny(request, killed)
    run_tiny(request, whole)
    ours, theirs = records(killed), records(whole)
    assert ours.keys() == theirs.keys()
    for name in ours:
        assert without_times(ours[name]) == without_times(theirs[name])
    assert not checkpoint.exists()


def test_two_processes_share_the_runs_of_one_folder(tmp_path: Path) -> None:
    with process(tmp_path, "results", epochs=8, n_seeds=3) as other:
        assert other.stdout is not None
        theirs = [other.stdout.readline().strip()]  # from here on both are at work
        ours = run_tiny(tiny_request(epochs=8, n_seeds=3), tmp_path).ids
        theirs += other.stdout.read().split()
    assert other.returncode == 0
    assert sorted(ours + theirs) == sorted(records(tmp_path))
    assert len(records(tmp_path)) == 6
    assert (tmp_path / "runs.jsonl").read_text(encoding="utf-8").count("\n") == 6


def test_workers_do_what_one_process_does(tmp_path: Path) -> None:
    request = tiny_request(n_seeds=1)
    began = run_tiny(request, tmp_path / "two", n_workers=2)
    run_tiny(request, tmp_path / "one")
    assert sorted(began.ids) == sorted(records(tmp_path / "two"))
    for name, record in records(tmp_path / "one").items():
        assert without_times(records(tmp_path / "two")[name]) == without_times(record)


def test_what_another_process_has_is_waited_for_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, folder = tiny_request(), SweepFolder(tmp_path)
    plan = plan_sweep(request)
    looks: list[int] = []
    finished: list[str] = []

    class Told(Began):
        def waiting(self, n_runs: int) -> None:
            looks.append(n_runs)
            if len(looks) == 2:  # now the other one is done
                line = {**plan.jobs[0].key, "id": plan.jobs[0].id, "oa": 1.0}
                folder.append(line)

        def finished(self, job_id: str, record: Record) -> None:
            finished.append(job_id)

    monkeypatch.setattr(work, "SECONDS_BETWEEN_LOOKS", 0.0)
    with claimed(folder.claim(plan.jobs[0].id)) as theirs:
        assert theirs
        told = Told()
        run_sweep(request, plan, folder, listener=told)
    assert told.ids == [plan.jobs[1].id]
    assert looks == [1, 1]
    assert sorted(finished) == sorted(job.id for job in plan.jobs)


def test_a_run_that_diverges_is_noted_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def diverge_if_plain(*args: object, **kwargs: object) -> object:
        if args[2].head == "point":  # type: ignore[attr-defined]
            raise DivergedError("the loss must stay finite, it became nan in epoch 1")
        return loop.train(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(execute, "learn", diverge_if_plain)
    run_tiny(tiny_request(), tmp_path)
    outcomes = {record["variant"]: record for record in records(tmp_path).values()}
    assert outcomes["SSRN"]["diverged"].startswith("the loss must stay finite")
    assert "oa" not in outcomes["SSRN"]
    assert 0 <= outcomes["PDML"]["oa"] <= 1


def test_an_error_in_a_worker_is_sent_to_the_process_that_started_it(tmp_path: Path) -> None:
    wrong = SweepRequest("results", "no_such_scene", (0,))
    messages: queue.Queue[workers.Message] = queue.Queue()
    workers.do_share(wrong, SweepFolder(tmp_path), 1, "cpu", messages)
    name, (error,) = messages.get_nowait()
    assert name == "failed"
    assert str(error).startswith("unknown dataset 'no_such_scene'")


def test_no_jobs_at_all_are_refused(tmp_path: Path) -> None:
    request = tiny_request()
    with pytest.raises(InvalidInputError, match=r"--jobs must be 1 or more, got 0"):
        run_sweep(request, plan_sweep(request), SweepFolder(tmp_path), n_workers=0)
    assert list(tmp_path.iterdir()) == []
