"""How long threads that wait for each other keep a core busy, decided before they exist."""

from __future__ import annotations

import os
from collections.abc import MutableMapping

BUSY_LOAD_PER_CORE = 0.5
SHORT_SPIN = "1000"
DECIDED_BY_USER = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY", "OMP_NUM_THREADS")


def wait_politely(environment: MutableMapping[str, str], *, load: float, n_cores: int) -> bool:
    """Lets waiting threads yield their core early where other processes want it.

    By default a waiting thread of OpenMP spins for milliseconds. On free cores that saves a few
    percent of a step. On cores that are shared it takes from the very thread that is waited for,
    and a step takes many times as long. It works only before torch is imported.

    Args:
        environment: Of this process; what the user has set in it stays.
        load: Processes that want a core, as an average over the last minute.
        n_cores: Cores of the machine.

    Returns:
        Whether the threads were told so.
    """
    if load < BUSY_LOAD_PER_CORE * n_cores or any(key in environment for key in DECIDED_BY_USER):
        return False
    environment["GOMP_SPINCOUNT"] = SHORT_SPIN
    return True


def current_load() -> float:
    """The load of the machine, 0 where the system does not say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
