"""Writing files so that a reader never sees half of one, and a failure keeps the old one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pdml.errors import StorageError


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Gives a temporary path in the same folder that becomes `path` when the block ends well.

    Folders on the way are made. If the block raises, nothing appears under `path` and what was
    there stays.

    Raises:
        StorageError: If the file cannot be written: disk full, folder read-only, no such place.
    """
    target = Path(path)
    temporary: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(
            prefix=f".{target.name}.", suffix=".part", dir=target.parent
        )
        os.close(handle)
        temporary = Path(name)
        yield temporary
        # mkstemp keeps files private, and a writer may have put another private file in its place;
        # give the permissions that open() would have given.
        temporary.chmod(0o666 & ~_umask())
        _flush_to_disk(temporary)
        temporary.replace(target)
        temporary = None
    except OSError as error:
        if isinstance(error, StorageError) or error.strerror is None:
            raise
        raise StorageError(
            f"cannot write {target}: {error.strerror}; nothing was changed there, "
            "free some space or choose another folder"
        ) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a text file atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _flush_to_disk(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
