"""The layers of a stored map: a class code and the measures of doubt of every pixel."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from jaxtyping import Shaped

from pdml.inference.class_map import ClassMap
from pdml.scenes.window import Window

CLASSES = "classes"
DOUBTS = {
    "top_probability": "probability of the most probable class",
    "entropy": "entropy of the class probabilities, 0 sure to 1 undecided",
    "embedding_variance": "mean variance of the embedding",
}
PROBABILITY = "probability"


class Layers(Protocol):
    """A map of which only some pixels are in memory at a time."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """A structured type with one field per layer."""

    def read(self, window: Window) -> Shaped[np.ndarray, "row col"]:
        """The layers inside a window."""


def layer_type(
    codes: np.dtype[Any],
    *,
    n_classes: int,
    has_variance: bool,
    keeps_probability: bool,
    has_probability: bool = True,
) -> np.dtype[Any]:
    """The structured type of a map's layers.

    Args:
        codes: Type of the class codes.
        n_classes: K.
        has_variance: Whether the model has a variance.
        keeps_probability: Whether the probabilities of all classes are kept.
        has_probability: Whether the model gives probabilities; without them there is no doubt.
    """
    fields: list[tuple[Any, ...]] = [(CLASSES, codes)]
    of_probability, of_variance = [*DOUBTS][:-1], [*DOUBTS][-1:]
    doubts = of_probability * has_probability + of_variance * has_variance
    fields += [(name, np.float32) for name in doubts]
    if keeps_probability:
        fields.append((PROBABILITY, np.float32, (n_classes,)))
    return np.dtype(fields)


def layers_of(part: ClassMap, dtype: np.dtype[Any]) -> Shaped[np.ndarray, "row col"]:
    """The layers of a map; the measures of doubt are NaN where nothing was measured."""
    layers = np.zeros(part.shape, dtype=dtype)
    layers[CLASSES] = part.codes
    for name in doubts_in(dtype):
        layers[name] = np.where(part.measured, getattr(part, name), np.nan)
    if PROBABILITY in (dtype.names or ()):
        layers[PROBABILITY] = part.probability
    return layers


def doubts_in(dtype: np.dtype[Any]) -> list[str]:
    """The measures of doubt among the layers."""
    return [name for name in DOUBTS if name in (dtype.names or ())]


def windows(shape: tuple[int, int], *, rows: int, cols: int) -> list[Window]:
    """Windows that cover a map, row by row; those at the border are smaller."""
    n_rows, n_cols = shape
    return [
        Window(row, min(row + rows, n_rows), col, min(col + cols, n_cols))
        for row in range(0, n_rows, rows)
        for col in range(0, n_cols, cols)
    ]
