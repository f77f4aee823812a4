"""Overall accuracy, average accuracy, kappa and recall of each class, always together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from pdml.errors import InvalidInputError
from pdml.evaluation.calibration import ProbabilityScores, score_probability
from pdml.evaluation.confusion import confusion_matrix
from pdml.evaluation.metrics import ScoreRecord


@dataclass(frozen=True)
class Scores:
    """How well the test pixels were classified.

    Attributes:
        confusion: Counts with one row per true class and one column per predicted class.
        class_names: K names.
        probability: Scores of the probabilities, where these were given.
    """

    confusion: Int[np.ndarray, "truth predicted"]
    class_names: tuple[str, ...]
    probability: ProbabilityScores | None = None

    @property
    def support(self) -> Int[np.ndarray, " class_"]:
        """Number of test pixels of each class."""
        support: Int[np.ndarray, " class_"] = self.confusion.sum(axis=1)
        return support

    @property
    def recall(self) -> Float[np.ndarray, " class_"]:
        """Share of each class's test pixels that were found; NaN for a class without any."""
        support = self.support
        recall = np.full(len(support), np.nan)
        np.divide(np.diagonal(self.confusion), support, out=recall, where=support > 0)
        return recall

    @property
    def oa(self) -> float:
        """Overall accuracy: the share of test pixels that were classified correctly."""
        return float(np.trace(self.confusion) / self.confusion.sum())

    @property
    def aa(self) -> float:
        """Average accuracy: mean recall over the classes that have test pixels.

        Some scripts that are often copied swap truth and prediction and so average precision
        under this name; their numbers are not comparable with this one.
        """
        return float(np.nanmean(self.recall))

    @property
    def kappa(self) -> float:
        """Cohen's kappa: agreement beyond what the two marginal distributions give by chance.

        NaN where chance alone already agrees everywhere: truth and prediction are one same class.
        """
        n = float(self.confusion.sum())
        by_chance = float(self.support @ self.confusion.sum(axis=0)) / n**2
        return (self.oa - by_chance) / (1 - by_chance) if by_chance < 1 else float("nan")

    def to_dict(self) -> ScoreRecord:
        """The scores as they stand in `metrics.json`; a number that is not defined is None."""
        per_class = zip(self.class_names, self.recall, self.support, strict=True)
        quality = self.probability
        return {
            "oa": self.oa,
            "aa": self.aa,
            "kappa": _defined(self.kappa),
            "nll": quality.nll if quality else None,
            "brier": quality.brier if quality else None,
            "ece": quality.ece if quality else None,
            "per_class": {
                name: {"recall": _defined(float(recall)), "support": int(support)}
                for name, recall, support in per_class
            },
            "confusion": self.confusion.tolist(),
        }


def score(
    truth: Int[np.ndarray, " n"],
    predicted: Int[np.ndarray, " n"],
    *,
    class_names: Sequence[str],
    probability: Float[np.ndarray, "n class_"] | None = None,
) -> Scores:
    """Scores the classes, and where given the probabilities, of the test pixels.

    Args:
        truth: True classes, 0 to K-1.
        predicted: Predicted classes of the same pixels, 0 to K-1.
        class_names: K names.
        probability: Probability of each class at the same pixels.

    Raises:
        InvalidInputError: If there is no pixel, two classes share a name, or the arrays do not
            belong together.
    """
    if len(truth) == 0:
        raise InvalidInputError(
            "scores need at least one test pixel, got none; leave more labels to the test part"
        )
    names = tuple(class_names)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInputError(
            f"each class needs a name of its own, got '{twice}' {names.count(twice)} times; "
            "rename one of them"
        )
    confusion = confusion_matrix(truth, predicted, len(names))
    if probability is None:
        return Scores(confusion, names)
    if probability.ndim == 2 and probability.shape[1] != len(names):
        raise InvalidInputError(
            f"probabilities need one column per class: got {probability.shape[1]} columns "
            f"for {len(names)} class names; pass the names that the model was trained with"
        )
    return Scores(confusion, names, score_probability(truth, probability))


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else value
