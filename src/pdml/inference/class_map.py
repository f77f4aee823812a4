"""`ClassMap`: what the model says about every pixel of a scene, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int


@dataclass(frozen=True)
class ClassMap:
    """A classified scene.

    Attributes:
        probability: Probability of each class; zero where a pixel was not measured. Of a model
            without probabilities, 1 for the class that it chose.
        embedding_variance: Mean variance of the pixel's embedding, where the model has one.
        measured: False where the scene has no data.
        class_names: K names.
        colours: K colours as `#rrggbb`, or empty.
        min_probability: Below this probability of its class a pixel is shown as rejected.
        has_probability: Whether the model gives probabilities.
    """

    probability: Float[np.ndarray, "row col class_"]
    embedding_variance: Float[np.ndarray, "row col"] | None
    measured: Bool[np.ndarray, "row col"]
    class_names: tuple[str, ...]
    colours: tuple[str, ...] = ()
    min_probability: float = 0.0
    has_probability: bool = True

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n_rows, n_cols = self.measured.shape
        return n_rows, n_cols

    @property
    def classes(self) -> Int[np.ndarray, "row col"]:
        """The most probable class 0 to K-1 of each pixel, -1 where nothing was measured."""
        return np.where(self.measured, self.probability.argmax(axis=2), -1)

    @property
    def rejected(self) -> Bool[np.ndarray, "row col"]:
        """Measured pixels whose class is less probable than `min_probability`."""
        rejected: Bool[np.ndarray, "row col"] = self.measured & (
            self.top_probability < self.min_probability
        )
        return rejected

    @property
    def codes(self) -> Int[np.ndarray, "row col"]:
        """What files hold: 0 not measured, 1 to K the classes, K + 1 rejected."""
        return np.where(self.rejected, self.probability.shape[2] + 1, self.classes + 1)

    @property
    def top_probability(self) -> Float[np.ndarray, "row col"]:
        """Probability of the most probable class."""
        top: Float[np.ndarray, "row col"] = self.probability.max(axis=2)
        return top

    @property
    def entropy(self) -> Float[np.ndarray, "row col"]:
        """Entropy of the class probabilities, 0 (sure) to 1 (all classes alike)."""
        p = self.probability
        terms = np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0)
        entropy: Float[np.ndarray, "row col"] = -terms.sum(axis=2) / np.log(max(2, p.shape[2]))
        return entropy
