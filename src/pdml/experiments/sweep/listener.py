"""Who is told how a sweep gets on."""

from __future__ import annotations

from collections.abc import Sequence

from pdml.experiments.sweep.job import Job
from pdml.experiments.sweep.store import Record
from pdml.training.history import Row


class SweepListener:
    """Hears of runs that begin, go on and end; this one says nothing."""

    def planned(self, jobs: Sequence[Job], finished: Sequence[str]) -> None:
        """All runs are known, and the ids of those that were finished before."""

    def started(self, job_id: str) -> None:
        """A run begins, or goes on where it was broken off."""

    def epoch(self, job_id: str, row: Row) -> None:
        """An epoch of a run is done, now or before it was broken off."""

    def finished(self, job_id: str, record: Record) -> None:
        """A run is finished, here or by another process."""

    def waiting(self, n_runs: int) -> None:
        """All that is left is being done by other processes."""
