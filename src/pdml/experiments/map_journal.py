"""Which of several maps one call has finished, in case it is interrupted before the last."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pdml.atomic import write_text
from pdml.inference.partial_map import Job

NAME = ".maps.part.json"


class Journal:
    """A hidden file in the folder of maps that is there while they are made."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._jobs: dict[str, str] = {}
        try:
            stored = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return
        if isinstance(stored, dict):
            self._jobs = stored

    def mentions(self, out: Path) -> bool:
        """Whether a map of that name was finished, by this job or another."""
        return out.name in self._jobs

    def holds(self, out: Path, job: Job) -> bool:
        """Whether this very map was finished and is there."""
        return self._jobs.get(out.name) == _digest(job) and out.exists()

    def add(self, out: Path, job: Job) -> None:
        """Takes down that a map is whole."""
        self._jobs[out.name] = _digest(job)
        write_text(self._path, json.dumps(self._jobs, indent=1))

    def remove(self) -> None:
        """Removes the file once all maps are there."""
        self._path.unlink(missing_ok=True)


def _digest(job: Job) -> str:
    return hashlib.sha256(json.dumps(job, sort_keys=True).encode()).hexdigest()
