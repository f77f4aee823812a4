"""A sweep on the terminal: a table that moves, or a line per finished run."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from pdml.cli.console import make_console, say
from pdml.evaluation.report_text import counted, decimal, duration, leakage_in_brief, percent
from pdml.experiments.sweep.job import Job
from pdml.experiments.sweep.listener import SweepListener
from pdml.experiments.sweep.store import Record
from pdml.training.history import Row

SECONDS_BETWEEN_LINES = 30.0


@dataclass
class SweepState:
    """How far a sweep is.

    Attributes:
        jobs: All runs by their id.
        finished: Ids of those that are finished.
        epochs: Epochs done of those that are under way.
        n_workers: Runs at a time.
        seconds: Time spent in epochs that were done here, and how many these were, by variant.
    """

    jobs: dict[str, Job] = field(default_factory=dict)
    finished: set[str] = field(default_factory=set)
    epochs: dict[str, int] = field(default_factory=dict)
    n_workers: int = 1
    seconds: dict[str, tuple[float, int]] = field(default_factory=dict)

    def note(self, job_id: str, row: Row) -> None:
        """Takes note of an epoch."""
        self.epochs[job_id] = int(row["epoch"])
        spent, n_epochs = self.seconds.get(self.jobs[job_id].variant, (0.0, 0))
        took = row["seconds"] + row.get("validation_seconds", 0.0)
        self.seconds[self.jobs[job_id].variant] = (spent + took, n_epochs + 1)

    def seconds_left(self) -> float | None:
        """A guess from the pace so far; None before there is one."""
        if not self.seconds:
            return None
        paces = {name: spent / n for name, (spent, n) in self.seconds.items()}
        usual = sum(paces.values()) / len(paces)
        left = sum(
            (job.recipe.epochs - self.epochs.get(job_id, 0)) * paces.get(job.variant, usual)
            for job_id, job in self.jobs.items()
            if job_id not in self.finished
        )
        return left / self.n_workers

    def in_words(self) -> str:
        """How many runs are done, and the time left."""
        text = f"{len(self.finished)} of {counted(len(self.jobs), 'run')}"
        left = self.seconds_left()
        if left is None or len(self.finished) == len(self.jobs):
            return text
        return f"{text}, about {duration(max(1.0, left))} left"


class PlainSweep(SweepListener):
    """Lines of text: one per run that begins or ends, and one now and then between."""

    def __init__(self, n_workers: int) -> None:
        self.state = SweepState(n_workers=n_workers)
        self._said_at = monotonic()

    def __enter__(self) -> PlainSweep:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def planned(self, jobs: Sequence[Job], finished: Sequence[str]) -> None:
        """Says how many were finished before."""
        self.state.jobs = {job.id: job for job in jobs}
        self.state.finished = set(finished)
        if finished:
            self._say(f"Finished before: {len(finished)} of {counted(len(jobs), 'run')}.")

    def started(self, job_id: str) -> None:
        """Says which run begins."""
        self._say(f"{self._name(job_id)} ...")

    def epoch(self, job_id: str, row: Row) -> None:
        """Says how far a run is, if nothing was said for a while."""
        self.state.note(job_id, row)
        if monotonic() - self._said_at > SECONDS_BETWEEN_LINES:
            n_epochs = self.state.jobs[job_id].recipe.epochs
            epoch = self.state.epochs[job_id]
            self._say(f"{self._name(job_id)}: epoch {epoch} of {n_epochs}; {self.state.in_words()}")

    def finished(self, job_id: str, record: Record) -> None:
        """Says what came of a run."""
        if job_id in self.state.jobs:
            self.state.finished.add(job_id)
            self._say(f"{self._name(job_id)}: {outcome(record)}; {self.state.in_words()}")

    def waiting(self, n_runs: int) -> None:
        """Says now and then that others are at work."""
        if monotonic() - self._said_at > SECONDS_BETWEEN_LINES:
            self._say(f"waiting for {counted(n_runs, 'run')} that other processes are doing")

    def _name(self, job_id: str) -> str:
        job = self.state.jobs[job_id]
        return f"{job.variant}, {_which(job)}"

    def _say(self, text: str) -> None:
        self._said_at = monotonic()
        say(text)


class LiveSweep(SweepListener):
    """A table with a row per variant that is drawn anew while runs go on.

    Args:
        console: A terminal.
        n_workers: Runs at a time.
    """

    def __init__(self, console: Console, n_workers: int) -> None:
        self.state = SweepState(n_workers=n_workers)
        self._latest: dict[str, str] = {}
        self._note = ""
        self._live = Live(get_renderable=self.render, console=console, refresh_per_second=4)

    def __enter__(self) -> LiveSweep:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()

    def planned(self, jobs: Sequence[Job], finished: Sequence[str]) -> None:
        """All rows are there."""
        self.state.jobs = {job.id: job for job in jobs}
        self.state.finished = set(finished)

    def started(self, job_id: str) -> None:
        """A run is shown as under way."""
        self._note = ""
        self.state.epochs[job_id] = 0

    def epoch(self, job_id: str, row: Row) -> None:
        """A run is further."""
        self.state.note(job_id, row)

    def finished(self, job_id: str, record: Record) -> None:
        """A run is counted, its scores are shown."""
        if job_id in self.state.jobs:
            self.state.finished.add(job_id)
            self._latest[self.state.jobs[job_id].variant] = outcome(record)

    def waiting(self, n_runs: int) -> None:
        """The line below says that others are at work."""
        self._note = f", waiting for {n_runs} that other processes are doing"

    def render(self) -> RenderableType:
        """What is shown at this moment."""
        table = Table(box=None, pad_edge=False)
        for heading in ("variant", "done", "under way", "latest"):
            table.add_column(heading, no_wrap=heading != "latest")
        for variant in dict.fromkeys(job.variant for job in self.state.jobs.values()):
            own = {i: job for i, job in self.state.jobs.items() if job.variant == variant}
            done = len(own.keys() & self.state.finished)
            running = [
                f"{_which(job)}: {self.state.epochs[i]}/{job.recipe.epochs}"
                for i, job in own.items()
                if i in self.state.epochs and i not in self.state.finished
            ]
            latest = self._latest.get(variant, "")
            table.add_row(variant, f"{done}/{len(own)}", ", ".join(running), latest)
        return Group(table, Text(self.state.in_words() + self._note, style="dim"))


def _which(job: Job) -> str:
    """A run among those of its variant."""
    return f"seed {job.seed}" + (f", without {job.left_out}" if job.left_out else "")


def outcome(record: Record) -> str:
    """Scores of a run, always all three with what its split leaks, or why there are none."""
    if "diverged" in record:
        return "the loss stopped being a number"
    if "oa" not in record:
        return f"validation {_three(record['validation'])}"
    return f"{_three(record)}, {leakage_in_brief(record['leakage'])}"


def _three(scores: Record) -> str:
    return (
        f"OA {percent(scores['oa'])}, AA {percent(scores['aa'])}, kappa {decimal(scores['kappa'])}"
    )


def show_sweep(*, n_workers: int) -> AbstractContextManager[SweepListener]:
    """Progress for standard output as it is now."""
    console = make_console()
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveSweep(console, n_workers)
    return PlainSweep(n_workers)
