"""Claims: of several processes that share a folder, one at a time does a thing.

A claim is a lock that the system holds for a process and drops when the process ends, however it
ends. So the claim of a process that was killed is free at once, and one that is merely slow cannot
be taken away.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pdml.errors import StorageError


@contextmanager
def claimed(path: Path) -> Iterator[bool]:
    """Tries to claim what a file stands for, until the end of the block.

    Args:
        path: The lock file; it is made, and removed afterwards. One that a killed process left
            behind means nothing.

    Yields:
        Whether the claim was got; false while another process has it.

    Raises:
        StorageError: If there can be no such file, or the system has no such locks.
    """
    handle = _lock(path)
    try:
        yield handle is not None
    finally:
        if handle is not None:
            path.unlink(missing_ok=True)  # while it is still ours
            os.close(handle)


def _lock(path: Path) -> int | None:
    try:
        import fcntl
    except ImportError as error:
        raise StorageError(
            "a sweep needs the file locks of POSIX systems, this system has none; "
            "run it under Linux or macOS"
        ) from error
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                return None
            if _is_at(path, handle):
                return handle
            os.close(handle)  # its owner removed the file between our two calls
    except OSError as error:
        raise StorageError(f"cannot lock {path}: {error.strerror}; choose another --out") from error


def _is_at(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False
