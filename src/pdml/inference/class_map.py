"""`ClassMap`: what the model says about every pixel of a scene, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Bool, Float, Int

from pdml.errors import InvalidInputError
from pdml.inference.unknown.detector import UNKNOWN


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
        scores: Measures of doubt by their names, larger where there is more; zero where a pixel was
            not measured.
        min_probability: Below this probability of its class a pixel is shown as rejected.
        has_probability: Whether the model gives probabilities.
        unknown_above: Above this score "unknown" a pixel is shown as unknown; None shows none.
    """

    probability: Float[np.ndarray, "row col class_"]
    embedding_variance: Float[np.ndarray, "row col"] | None
    measured: Bool[np.ndarray, "row col"]
    class_names: tuple[str, ...]
    colours: tuple[str, ...] = ()
    min_probability: float = 0.0
    scores: dict[str, Float[np.ndarray, "row col"]] = field(default_factory=dict)
    has_probability: bool = True
    unknown_above: float | None = None

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
        if self.min_probability == 0:
            return np.zeros_like(self.measured)
        rejected: Bool[np.ndarray, "row col"] = self.measured & (
            self.top_probability < self.min_probability
        )
        return rejected

    @property
    def unknown(self) -> Bool[np.ndarray, "row col"]:
        """Measured pixels that are like no class."""
        if self.unknown_above is None:
            return np.zeros(self.shape, dtype=bool)
        unknown: Bool[np.ndarray, "row col"] = self.measured & (
            self.scores[UNKNOWN] > self.unknown_above
        )
        return unknown

    @property
    def codes(self) -> Int[np.ndarray, "row col"]:
        """What files hold: 0 not measured, 1 to K the classes, K + 1 rejected, K + 2 unknown."""
        n_classes = self.probability.shape[2]
        known = np.where(self.rejected, n_classes + 1, self.classes + 1)
        return np.where(self.unknown, n_classes + 2, known)

    @property
    def top_probability(self) -> Float[np.ndarray, "row col"]:
        """Probability of the most probable class.

        Raises:
            InvalidInputError: If the model gives no probabilities.
        """
        self._require_probability()
        top: Float[np.ndarray, "row col"] = self.probability.max(axis=2)
        return top

    @property
    def entropy(self) -> Float[np.ndarray, "row col"]:
        """Entropy of the class probabilities, 0 (sure) to 1 (all classes alike).

        Raises:
            InvalidInputError: If the model gives no probabilities.
        """
        self._require_probability()
        p = self.probability
        terms = np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0)
        entropy: Float[np.ndarray, "row col"] = -terms.sum(axis=2) / np.log(max(2, p.shape[2]))
        return entropy

    def _require_probability(self) -> None:
        if not self.has_probability:
            raise InvalidInputError(
                "this map has classes and no probabilities, as its method gives none; "
                "take the classes, or map with a method that has them, such as rf"
            )
