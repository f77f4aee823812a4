"""Peak memory of a piece of work, measured in a process of its own."""

from __future__ import annotations

import multiprocessing
import resource
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def peak_extra_megabytes(prepare: Callable[[], Callable[[], object]]) -> float:
    """Most memory that a piece of work holds beyond what was there before it.

    Args:
        prepare: A module-level function that makes the inputs and returns the work. It runs in a
            fresh process, so that nothing that was freed earlier can hide an allocation.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as fresh:
        return fresh.submit(_measure, prepare).result()


def peak_megabytes() -> float:
    """Most memory that this process has held since it started, or since the last reset."""
    if _STATUS.exists():
        return _from_status("VmHWM")
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def _measure(prepare: Callable[[], Callable[[], object]]) -> float:
    work = prepare()
    if _CLEAR.exists():
        _CLEAR.write_text("5")  # the high-water mark starts again from what is held now
    before = _from_status("VmRSS") if _STATUS.exists() else peak_megabytes()
    work()
    return max(0.0, peak_megabytes() - before)


def _from_status(name: str) -> float:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(name))
    return float(line.split()[1]) / 2**10
