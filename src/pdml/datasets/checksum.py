"""Checksums of downloads: compared with those known, or with the first verified download."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pdml.atomic import write_text
from pdml.errors import UnreadableFileError

RECORD_NAME = "checksums.json"


def sha256_of(path: Path) -> str:
    """The checksum of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def require_recorded(path: Path) -> None:
    """Checks that a download is what it was when it was first verified.

    Raises:
        UnreadableFileError: If the file has changed since.
    """
    recorded = _record(path.parent).get(path.name)
    if recorded is not None and recorded != (found := sha256_of(path)):
        raise UnreadableFileError(
            f"'{path}' must have the checksum of its first verified download "
            f"({recorded[:12]}...), got {found[:12]}...; delete the file to download it again"
        )


def remember(path: Path) -> None:
    """Records the checksum of a verified download beside it, unless there is one already.

    Raises:
        StorageError: If the record cannot be written.
    """
    record = _record(path.parent)
    if path.name in record:
        return
    record[path.name] = sha256_of(path)
    write_text(path.parent / RECORD_NAME, json.dumps(record, indent=2, sort_keys=True) + "\n")


def _record(folder: Path) -> dict[str, str]:
    path = folder / RECORD_NAME
    if not path.is_file():
        return {}
    try:
        record: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableFileError(
            f"'{path}' must be a JSON record of checksums, but reading it failed; delete it"
        ) from error
    return record
