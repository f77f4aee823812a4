"""`Job`: one training run of a sweep, and the key that tells it from all others."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Literal

import pdml
from pdml.training.recipe import Recipe

FORMAT = "pdml sweep 1"

Judged = Literal["test", "validation", "validation and test"]
"""The pixels that a run is scored on."""


@dataclass(frozen=True)
class Job:
    """A variant of an experiment on a scene with a seed.

    Attributes:
        experiment: Name of the experiment.
        variant: Name of the variant.
        dataset: Name of the dataset.
        twin: Whether its twin stands for it.
        data: Fingerprint of scene and labels.
        split: Strategy of the split with its options, but for the seed.
        seed: Of split and training.
        recipe: The complete recipe.
        left_out: Name of the class that is neither trained nor validated, where there is one.
        judged: The pixels that it is scored on.
    """

    experiment: str
    variant: str
    dataset: str
    twin: bool
    data: str
    split: dict[str, Any]
    seed: int
    recipe: Recipe
    left_out: str | None = None
    judged: Judged = "test"

    @property
    def key(self) -> dict[str, Any]:
        """Everything that the result depends on, in plain values."""
        judged = {} if self.judged == "test" else {"judged": self.judged}
        key = {
            "format": FORMAT,
            "pdml": pdml.__version__,
            "experiment": self.experiment,
            "variant": self.variant,
            "dataset": self.dataset,
            "twin": self.twin,
            "data": self.data,
            "split": self.split,
            "seed": self.seed,
            "recipe": self.recipe.identity(),
            **judged,
        }
        return key if self.left_out is None else {**key, "left_out": self.left_out}

    @property
    def id(self) -> str:
        """The key as a short name for files."""
        text = json.dumps(self.key, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]
