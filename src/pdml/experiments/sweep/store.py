"""The folder of a sweep: one line per finished run, appended whole, and what runs leave beside."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pdml.atomic import write_text
from pdml.errors import InvalidInputError, MissingFileError, StorageError, UnreadableFileError
from pdml.experiments.sweep.job import FORMAT, Job

Record = dict[str, Any]

_NOT_COMPARED = ("recipe_name", "recipe_epochs", "settings")  # other words for the same recipe


@dataclass(frozen=True)
class SweepFolder:
    """Names of the files of a sweep."""

    path: Path

    @property
    def manifest(self) -> Path:
        """What all runs have in common."""
        return self.path / "sweep.json"

    def runs(self, *, twin: bool) -> Path:
        """One JSON line per finished run."""
        return self.path / ("runs-twin.jsonl" if twin else "runs.jsonl")

    def predictions(self, job_id: str) -> Path:
        """Test pixels of a run with their true and predicted classes."""
        return self.path / "predictions" / f"{job_id}.npz"

    def kept(self, job_id: str) -> Path:
        """What the experiment wants a run to keep for its figures."""
        return self.path / "kept" / f"{job_id}.npz"

    def work(self, job_id: str) -> Path:
        """Where a run that is under way has its checkpoint."""
        return self.path / "work" / job_id

    def claim(self, job_id: str) -> Path:
        """The lock file of a run."""
        return self.path / "work" / f"{job_id}.lock"

    def open(self, manifest: Mapping[str, Any]) -> None:
        """Makes the folder a sweep's, or checks that it is this sweep's.

        Raises:
            InvalidInputError: If it belongs to another sweep; the first key that differs is named.
            StorageError: If it cannot be written.
        """
        if self.manifest.is_file():
            _require_same(self.path, self.read_manifest(), manifest)
        else:
            write_text(self.manifest, json.dumps(manifest, indent=1) + "\n")

    def read_manifest(self) -> dict[str, Any]:
        """What all runs in the folder have in common.

        Raises:
            MissingFileError: If the folder holds no sweep.
            UnreadableFileError: If it was written by something else.
        """
        if not self.manifest.is_file():
            raise MissingFileError(
                f"{self.path} must be the folder of a sweep, but {self.manifest.name} is missing; "
                "give what `pdml reproduce` was told with --out"
            )
        try:
            manifest: dict[str, Any] = json.loads(self.manifest.read_text(encoding="utf-8"))
            if manifest["format"] != FORMAT:
                raise KeyError("format")
        except (ValueError, KeyError, TypeError) as error:
            raise UnreadableFileError(
                f"{self.manifest} must describe a sweep in the format '{FORMAT}', it does not; "
                "choose another --out"
            ) from error
        return manifest

    def append(self, record: Record) -> None:
        """Adds a line and sees to it that it is on disk.

        Raises:
            StorageError: If it cannot be written.
        """
        path = self.runs(twin=bool(record["twin"]))
        line = json.dumps(record, allow_nan=False, separators=(",", ":")).encode() + b"\n"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            try:
                if _ends_within_a_line(handle):
                    line = b"\n" + line
                # One write to the end of the file is one piece, whoever else writes.
                if os.write(handle, line) < len(line):
                    raise OSError(0, "the disk is full")
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            raise StorageError(
                f"cannot write {path}: {error.strerror}; free some space and start again, "
                "what is finished stays"
            ) from error

    def records(self, *, twin: bool) -> dict[str, Record]:
        """Finished runs by their id; the rest of a line that was cut off does not count.

        Raises:
            UnreadableFileError: If a line is of another format.
        """
        path = self.runs(twin=twin)
        if not path.is_file():
            return {}
        found: dict[str, Record] = {}
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if not isinstance(record, dict) or record.get("format") != FORMAT:
                raise UnreadableFileError(
                    f"line {number} of {path} must be a run in the format '{FORMAT}', it is not; "
                    "choose another --out"
                )
            found.setdefault(record["id"], record)
        return found

    def forget_work(self, job: Job) -> None:
        """Removes the checkpoint of a finished run."""
        shutil.rmtree(self.work(job.id), ignore_errors=True)


def _ends_within_a_line(handle: int) -> bool:
    """Whether a process was killed while it wrote the last line."""
    size = os.fstat(handle).st_size
    return size > 0 and os.pread(handle, 1, size - 1) != b"\n"


def _require_same(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    stored, asked = _flat(before), _flat(now)
    for key in [*asked, *stored]:
        if key not in _NOT_COMPARED and stored.get(key) != asked.get(key):
            raise InvalidInputError(
                f"{path} holds another sweep: {key} was {stored.get(key)!r}, now it is "
                f"{asked.get(key)!r}; choose another --out, or ask for what is in the folder"
            )


def _flat(nested: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in nested.items():
        if key in ("recipe", "split"):
            flat |= {f"{key}.{inner}": one for inner, one in value.items()}
        else:
            flat[key] = value
    return flat
