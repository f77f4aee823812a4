"""A small map in memory for tests of what writes maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Shaped

from pdml.inference.categories import Categories
from pdml.inference.class_map import ClassMap
from pdml.inference.layers import layer_type, layers_of
from pdml.scenes.window import Window

NAMES = ("oats", "corn & maize", "woods")
COLOURS = ("#ff0000", "#00ff00", "#0000ff")
CATEGORIES = Categories(NAMES, COLOURS, rejects=True)


@dataclass(frozen=True)
class ArrayLayers:
    """Layers that are in memory."""

    array: Shaped[np.ndarray, "row col"]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n_rows, n_cols = self.array.shape
        return n_rows, n_cols

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the layers."""
        return self.array.dtype

    def read(self, window: Window) -> Shaped[np.ndarray, "row col"]:
        """The layers inside a window."""
        return self.array[window.slices]


def small_map(shape: tuple[int, int] = (30, 41), *, has_variance: bool = True) -> ClassMap:
    """A map of three classes with some pixels that were not measured and some rejected."""
    rng = np.random.default_rng(0)
    measured = rng.random(shape) > 0.1
    probability = rng.dirichlet([0.4] * 3, size=shape).astype(np.float32)
    probability[~measured] = 0
    variance = rng.random(shape).astype(np.float32) if has_variance else None
    return ClassMap(probability, variance, measured, NAMES, COLOURS, min_probability=0.6)


def small_layers(class_map: ClassMap, *, keeps_probability: bool = False) -> ArrayLayers:
    """The layers of a map."""
    dtype = layer_type(
        CATEGORIES.dtype,
        n_classes=3,
        has_variance=class_map.embedding_variance is not None,
        keeps_probability=keeps_probability,
        scores=list(class_map.scores),
    )
    return ArrayLayers(layers_of(class_map, dtype))
