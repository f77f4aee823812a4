"""Amounts of memory: as a person writes them, and what the machine has."""

from __future__ import annotations

import os
import re
from pathlib import Path

from pdml.errors import InvalidInputError

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
BINARY_UNITS = {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
SHARE_OF_MACHINE = 0.25
UNKNOWN_MACHINE = 4 * 10**9
_CGROUP_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def parse_memory(text: str) -> int:
    """Bytes of an amount such as `2GB`, `800 MB`, `1.5GiB`.

    Raises:
        InvalidInputError: If it is not a positive number with a unit.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    units = UNITS | BINARY_UNITS
    unit = match[2].upper() if match else ""
    unit = unit + "B" if unit in ("K", "M", "G", "T") else unit
    if match is None or unit not in units or not float(match[1]) > 0:
        raise InvalidInputError(
            f"--memory must be an amount like 2GB, 800MB or 1.5GiB, got '{text}'"
        )
    return int(float(match[1]) * units[unit])


def in_words(n_bytes: int) -> str:
    """An amount as a person writes it: 2 GB, 850 MB."""
    for unit in ("GB", "MB", "KB"):
        if n_bytes >= UNITS[unit]:
            return f"{n_bytes / UNITS[unit]:.3g} {unit}"
    return f"{n_bytes} bytes"


def default_memory() -> int:
    """A quarter of what the machine, or the container that this runs in, has."""
    limits = [_machine_bytes(), *(_limit_in(path) for path in _CGROUP_LIMITS)]
    known = [limit for limit in limits if limit]
    return int(SHARE_OF_MACHINE * min(known)) if known else UNKNOWN_MACHINE


def _machine_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a Unix
        return None


def _limit_in(path: Path) -> int | None:
    try:
        text = path.read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None
