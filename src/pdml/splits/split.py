"""`Split`: which labelled pixels train, validate and test, and how that was decided."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Int

from pdml.scenes.labels import LabelledPixels


@dataclass(frozen=True)
class Split:
    """Three sets of labelled pixels of one scene that share no pixel.

    Attributes:
        train: Pixels whose labels are learnt from.
        validation: Pixels that choose the epoch and calibrate; may be empty.
        test: Pixels that are scored, and used for nothing else.
        scene_shape: Rows and columns of the scene that the indices point into.
        class_names: Names of classes 0 to K-1.
        how: The strategy and everything that it was told, for the record: `{"strategy": "random",
            "train": 0.2, "seed": 0}`.
    """

    train: LabelledPixels
    validation: LabelledPixels
    test: LabelledPixels
    scene_shape: tuple[int, int]
    class_names: tuple[str, ...]
    how: dict[str, Any] = field(default_factory=dict)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_names)

    @property
    def counts(self) -> dict[str, Int[np.ndarray, " class_"]]:
        """Number of pixels per class in each part."""
        parts = {"train": self.train, "validation": self.validation, "test": self.test}
        return {
            name: np.bincount(part.classes, minlength=self.n_classes)
            for name, part in parts.items()
        }
