"""Working off the jobs of a sweep, alone or beside other processes on the same folder."""

from __future__ import annotations

import time

from pdml.experiments.sweep.claim import claimed
from pdml.experiments.sweep.execute import execute
from pdml.experiments.sweep.job import Job
from pdml.experiments.sweep.listener import SweepListener
from pdml.experiments.sweep.plan import SweepPlan
from pdml.experiments.sweep.store import SweepFolder
from pdml.training.history import Row

SECONDS_BETWEEN_LOOKS = 1.0


def work_off(
    plan: SweepPlan,
    folder: SweepFolder,
    *,
    device: str = "auto",
    listener: SweepListener | None = None,
) -> None:
    """Does every job that is not finished and that no other process is doing.

    Returns when all are finished: a job that another process has is waited for, and taken over if
    that process ends without finishing it.

    Args:
        plan: The sweep.
        folder: Its folder.
        device: Where networks run.
        listener: Who is told of progress.
    """
    listener = listener or SweepListener()
    twin = bool(plan.manifest["twin"])
    told: set[str] = set(folder.records(twin=twin))
    while True:
        records = folder.records(twin=twin)
        for job_id in records.keys() - told:  # finished by others
            told.add(job_id)
            listener.finished(job_id, records[job_id])
        left = [job for job in plan.jobs if job.id not in records]
        if not left:
            return
        done = [job.id for job in left if _do(job, plan, folder, device, listener)]
        told.update(done)
        if not done:
            listener.waiting(len(left))
            time.sleep(SECONDS_BETWEEN_LOOKS)


def _do(
    job: Job, plan: SweepPlan, folder: SweepFolder, device: str, listener: SweepListener
) -> bool:
    """Does a job, unless another process has it or has finished it meanwhile."""

    def on_epoch(row: Row) -> None:
        listener.epoch(job.id, row)

    with claimed(folder.claim(job.id)) as mine:
        if not mine or job.id in folder.records(twin=job.twin):
            return False
        listener.started(job.id)
        record = execute(
            job,
            plan.subject,
            folder,
            keeps=plan.experiment.keeps,
            device=device,
            on_epoch=on_epoch,
        )
        folder.append(record)
        folder.forget_work(job)
    listener.finished(job.id, record)
    return True
