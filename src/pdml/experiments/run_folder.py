"""The folder of a run: which file is what, and whether it may be written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pdml.atomic import write_text
from pdml.baselines.learn import SEARCH
from pdml.errors import MissingFileError, RunExistsError, StorageError, UnreadableFileError
from pdml.evaluation.metrics import Metrics
from pdml.training.recipe import Recipe, load_recipe
from pdml.training.stored_state import CHECKPOINT, HISTORY

PICTURES = (
    "overview",
    "false_colour",
    "ground_truth",
    "class_map",
    "probability",
    "entropy",
    "variance",
    "embedding",
)


@dataclass(frozen=True)
class RunFolder:
    """Names of the files of a run."""

    path: Path

    @property
    def recipe(self) -> Path:
        """The recipe, complete."""
        return self.path / "recipe.toml"

    @property
    def origin(self) -> Path:
        """What was run on what: enough to open the scene again."""
        return self.path / "run.json"

    @property
    def split(self) -> Path:
        """The split."""
        return self.path / "split.npz"

    @property
    def checkpoint(self) -> Path:
        """State of the training."""
        return self.path / CHECKPOINT

    @property
    def search(self) -> Path:
        """What the fit of a classical method found."""
        return self.path / SEARCH

    @property
    def history(self) -> Path:
        """One row per epoch."""
        return self.path / HISTORY

    @property
    def embedding(self) -> Path:
        """Embeddings of some test pixels before and after training."""
        return self.path / "embedding.npz"

    @property
    def map(self) -> Path:
        """The class map."""
        return self.path / "map.npz"

    @property
    def metrics(self) -> Path:
        """Scores and bookkeeping."""
        return self.path / "metrics.json"

    @property
    def report(self) -> Path:
        """The report."""
        return self.path / "report.html"

    def picture(self, name: str) -> Path:
        """A picture; `name` is one of `PICTURES`."""
        return self.path / f"{name}.png"

    def pictures(self) -> dict[str, Path]:
        """The pictures that are there."""
        return {name: self.picture(name) for name in PICTURES if self.picture(name).is_file()}

    def require_free(self) -> None:
        """Refuses a folder that holds a run.

        Raises:
            RunExistsError: If it does.
        """
        if self.origin.exists() or self.metrics.exists():
            raise RunExistsError(
                f"{self.path} already holds a run; choose another --out, or --resume to go on "
                "with it"
            )

    def claim(self, *, resume: bool) -> None:
        """Makes the folder, or refuses one that holds a run which is not to be gone on with.

        Raises:
            RunExistsError: If there is a run and `resume` is false.
            StorageError: If the folder cannot be made.
        """
        if not resume:
            self.require_free()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(
                f"cannot make the folder {self.path}: {error.strerror}; choose another --out"
            ) from error

    def write_metrics(self, metrics: Metrics) -> None:
        """Writes `metrics.json`."""
        write_text(self.metrics, json.dumps(metrics, indent=1) + "\n")

    def read_metrics(self) -> Metrics:
        """Reads `metrics.json`."""
        metrics: Metrics = _read_json(self.metrics)
        return metrics

    def write_origin(self, origin: dict[str, Any]) -> None:
        """Writes `run.json`."""
        write_text(self.origin, json.dumps(origin, indent=1) + "\n")

    def read_origin(self) -> dict[str, Any]:
        """Reads `run.json`."""
        origin: dict[str, Any] = _read_json(self.origin)
        return origin

    def read_recipe(self) -> Recipe:
        """Reads the recipe."""
        return load_recipe(self.recipe)


def _read_json(path: Path) -> Any:
    if not path.is_file():
        raise MissingFileError(
            f"{path} is missing; give the folder of a finished run, or finish it with "
            f"`pdml train --resume --out {path.parent}`"
        )
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UnreadableFileError(
            f"{path} must be JSON that pdml wrote: {error}; run again"
        ) from error
