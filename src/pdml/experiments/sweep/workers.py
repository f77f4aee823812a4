"""Several processes that work off one sweep, and tell one listener."""

from __future__ import annotations

import multiprocessing
import queue
from collections.abc import Callable, Sequence
from multiprocessing.process import BaseProcess
from typing import Any, Protocol

import torch

from pdml.allocator import keep_freed_memory
from pdml.errors import InvalidInputError, PdmlError
from pdml.experiments.sweep.listener import SweepListener
from pdml.experiments.sweep.plan import SweepPlan, SweepRequest, plan_sweep
from pdml.experiments.sweep.store import Record, SweepFolder
from pdml.experiments.sweep.work import work_off
from pdml.training.fabric import make_fabric
from pdml.training.history import Row

SECONDS_BETWEEN_LOOKS = 0.5
SECONDS_TO_END = 10.0

Message = tuple[str, tuple[Any, ...]]
"""The method of a listener that is to be called, and its arguments."""


class Messages(Protocol):
    """Where a worker puts what the listener of the starting process is to hear."""

    def put(self, message: Message, /) -> None:
        """Sends one message."""


def prepare_sweep(
    plan: SweepPlan, folder: SweepFolder, *, n_workers: int = 1, device: str = "auto"
) -> None:
    """Refuses what cannot be run, then makes the folder this sweep's.

    Raises:
        PdmlError: If the folder holds another sweep, or there is no such device.
    """
    if n_workers < 1:
        raise InvalidInputError(f"--jobs must be 1 or more, got {n_workers}")
    make_fabric(device, "32")
    folder.open(plan.manifest)


def run_sweep(
    request: SweepRequest,
    plan: SweepPlan,
    folder: SweepFolder,
    *,
    n_workers: int = 1,
    device: str = "auto",
    listener: SweepListener | None = None,
) -> None:
    """Runs what is missing.

    Args:
        request: What was asked for; each worker plans it anew.
        plan: The plan of that request.
        folder: The folder; it is claimed for this sweep.
        n_workers: Number of processes; this one alone when 1. They share the threads.
        device: Where networks run.
        listener: Who is told of progress.

    Raises:
        PdmlError: If the folder holds another sweep, or a run cannot be done.
    """
    prepare_sweep(plan, folder, n_workers=n_workers, device=device)
    listener = listener or SweepListener()
    finished = folder.records(twin=request.twin)
    listener.planned(plan.jobs, [job.id for job in plan.jobs if job.id in finished])
    n_left = sum(job.id not in finished for job in plan.jobs)
    if n_left == 0:
        return
    if min(n_workers, n_left) == 1:
        keep_freed_memory()
        work_off(plan, folder, device=device, listener=listener)
        return
    _run_workers(
        request, plan, folder, n_workers=min(n_workers, n_left), device=device, listener=listener
    )


def _run_workers(
    request: SweepRequest,
    plan: SweepPlan,
    folder: SweepFolder,
    *,
    n_workers: int,
    device: str,
    listener: SweepListener,
) -> None:
    context = multiprocessing.get_context("spawn")  # a forked copy of torch's threads hangs
    messages: multiprocessing.Queue[Message] = context.Queue()
    n_threads = max(1, torch.get_num_threads() // n_workers)
    workers = [
        context.Process(
            target=do_share, args=(request, folder, n_threads, device, messages), daemon=True
        )
        for _ in range(n_workers)
    ]
    for worker in workers:
        worker.start()
    told: set[str] = set()
    try:
        while any(worker.is_alive() for worker in workers) or not messages.empty():
            try:
                name, arguments = messages.get(timeout=SECONDS_BETWEEN_LOOKS)
            except queue.Empty:
                continue
            if name == "failed":
                raise arguments[0]
            if name == "finished":  # every worker notices what the others finished
                if arguments[0] in told:
                    continue
                told.add(arguments[0])
            tell: Callable[..., None] = getattr(listener, name)
            tell(*arguments)
        for worker in workers:
            worker.join()
        _require_complete(plan, folder, workers)
    finally:
        for worker in workers:
            worker.terminate()
            worker.join(SECONDS_TO_END)


def _require_complete(plan: SweepPlan, folder: SweepFolder, workers: Sequence[BaseProcess]) -> None:
    """What a worker that was killed left undone, the others have done; unless all were killed."""
    finished = folder.records(twin=bool(plan.manifest["twin"]))
    n_left = sum(job.id not in finished for job in plan.jobs)
    if n_left:
        codes = ", ".join(str(worker.exitcode) for worker in workers)
        raise PdmlError(
            f"all workers ended before the last {n_left} runs were finished (exit codes {codes}; "
            "were they killed, or out of memory?); start again to go on, with fewer --jobs if "
            "need be"
        )


def do_share(
    request: SweepRequest,
    folder: SweepFolder,
    n_threads: int,
    device: str,
    messages: Messages,
) -> None:
    """What a worker does: plan the sweep anew, then do runs until none is left.

    Args:
        request: What was asked for.
        folder: The folder that all workers share.
        n_threads: Threads of this worker.
        device: Where networks run.
        messages: Takes what the listener is to hear, and an error if there is one.
    """
    torch.set_num_threads(n_threads)
    keep_freed_memory()
    try:
        work_off(plan_sweep(request), folder, device=device, listener=_Messenger(messages))
    except PdmlError as error:
        messages.put(("failed", (error,)))
    except KeyboardInterrupt:
        pass  # the process that started this one has been interrupted too, and says so


class _Messenger(SweepListener):
    """Sends what it hears to the process that started the workers."""

    def __init__(self, messages: Messages) -> None:
        self._messages = messages

    def started(self, job_id: str) -> None:
        self._messages.put(("started", (job_id,)))

    def epoch(self, job_id: str, row: Row) -> None:
        self._messages.put(("epoch", (job_id, row)))

    def finished(self, job_id: str, record: Record) -> None:
        self._messages.put(("finished", (job_id, record)))
