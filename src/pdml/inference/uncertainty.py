"""`Uncertainty`: what was learnt about a model's doubts, and how it judges predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from pdml.embeddings.prediction import Prediction
from pdml.inference.class_gaussians import ClassGaussians
from pdml.inference.combination import Combination
from pdml.inference.doubt import doubt_scores
from pdml.inference.surroundings import Surroundings
from pdml.inference.temperature import tempered
from pdml.inference.unknown.detector import UNKNOWN, UnknownDetector

DOUBT = "doubt"
"""Name of the combined score."""

COMBINED = ("max_softmax", "neighbour_ratio")
"""Scores that are combined where a model has them: the two that found mistakes best together."""

COMBINED_AFTER_SURROUNDINGS = ("surroundings", "neighbour_ratio")
"""The same of a model that listens to the surroundings."""

TENSORS = ("mean", "variance", "count", "points", "n_points")
"""What of the Gaussians is stored as tensors."""

OF_UNKNOWN = "unknown/"


@dataclass(frozen=True)
class Uncertainty:
    """What a model's folder knows about its doubts; nothing for a model that was never asked.

    Attributes:
        temperature: Of the class probabilities, fitted on validation pixels; None if there were
            none, and then probabilities stay as the network says them.
        gaussians: Where the training pixels of each class lie in the embedding.
        combination: How scores become one.
        n_validation: Pixels that temperature and combination were fitted on.
        n_wrong: Mistakes among them.
        unknown: Notices material of no class.
        surroundings: How far pixels listen to their neighbours; None for pixels by themselves.
    """

    temperature: float | None = None
    gaussians: ClassGaussians | None = None
    combination: Combination | None = None
    n_validation: int = 0
    n_wrong: int = 0
    unknown: UnknownDetector | None = None
    surroundings: Surroundings | None = None

    @property
    def reach(self) -> int:
        """Rows and columns up to which other pixels have a say, beyond the patch."""
        return self.surroundings.rounds if self.surroundings else 0

    @property
    def combined(self) -> tuple[str, ...]:
        """Scores that the combined one is made of, where the model has them."""
        return COMBINED_AFTER_SURROUNDINGS if self.surroundings else COMBINED

    @property
    def score_names(self) -> tuple[str, ...]:
        """Scores that are there without being asked for."""
        return (DOUBT,) if self.combination else ()

    def before_surroundings(self, prediction: Prediction, wanted: Sequence[str] = ()) -> Prediction:
        """Calibrates what the network says of single pixels, before they listen to others.

        Args:
            prediction: What the network says.
            wanted: Scores that will be wanted; that of unknown material, which needs what is not
                kept for whole tiles, is added.
        """
        assert self.surroundings is not None  # or there is no before
        probability = prediction.probability
        if self.surroundings.temperature is not None:
            probability = tempered(probability, self.surroundings.temperature)
        scores = {}
        if UNKNOWN in wanted and self.unknown and prediction.features is not None:
            scores[UNKNOWN] = self.unknown.score(prediction)
        return replace(prediction, probability=probability, scores=scores)

    def judge(self, prediction: Prediction, wanted: Sequence[str] = ()) -> Prediction:
        """Calibrates the probabilities of a prediction and adds the combined score.

        A patch that lies in no scene has no surroundings: it is judged by itself.

        Args:
            prediction: What the network says, after pixels have listened if they are to.
            wanted: Further scores, by the names of `DOUBT_SCORES`, or "unknown"; those that this
                model cannot have are left out.
        """
        if self.surroundings and prediction.alone is None:
            prediction = self.before_surroundings(prediction, wanted)
            prediction = replace(prediction, alone=prediction.probability)
        if self.temperature is not None:
            calibrated = tempered(prediction.probability, self.temperature)
            prediction = replace(prediction, probability=calibrated)
        parts = self.combination.names if self.combination else ()
        names = dict.fromkeys([*parts, *(name for name in wanted if name not in (DOUBT, UNKNOWN))])
        scores = doubt_scores(prediction, self.gaussians, list(names))
        kept = {name: scores[name] for name in wanted if name in scores}
        if self.combination:
            kept = {DOUBT: self.combination.apply(scores), **kept}
        if UNKNOWN in prediction.scores:
            kept[UNKNOWN] = prediction.scores[UNKNOWN]
        elif UNKNOWN in wanted and self.unknown and prediction.features is not None:
            kept[UNKNOWN] = self.unknown.score(prediction)
        return replace(prediction, scores=kept)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; the Gaussians are in `to_tensors`."""
        return {
            "temperature": self.temperature,
            "match": self.gaussians.match if self.gaussians else None,
            "combination": self.combination.to_dict() if self.combination else None,
            "n_validation": self.n_validation,
            "n_wrong": self.n_wrong,
            "unknown": self.unknown.to_dict() if self.unknown else None,
            "surroundings": self.surroundings.to_dict() if self.surroundings else None,
        }

    def to_tensors(self) -> dict[str, Tensor]:
        """Everything large, by name."""
        held = {name: getattr(self.gaussians, name, None) for name in TENSORS}
        if self.unknown is not None:
            of_unknown = self.unknown.to_tensors()
            held |= {OF_UNKNOWN + name: tensor for name, tensor in of_unknown.items()}
        return {name: tensor for name, tensor in held.items() if tensor is not None}

    @classmethod
    def from_parts(cls, values: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Uncertainty:
        """What `to_dict` and `to_tensors` made."""
        match, combination = values["match"], values["combination"]
        gaussians = None
        if TENSORS[0] in tensors:
            pair = None if match is None else (float(match[0]), float(match[1]))
            held = {name: tensors[name] for name in TENSORS if name in tensors}
            gaussians = ClassGaussians(**held, match=pair)
        unknown = None
        if values.get("unknown"):
            of_unknown = {
                name.removeprefix(OF_UNKNOWN): tensor
                for name, tensor in tensors.items()
                if name.startswith(OF_UNKNOWN)
            }
            unknown = UnknownDetector.from_parts(values["unknown"], of_unknown)
        return cls(
            values["temperature"],
            gaussians,
            Combination.from_dict(combination) if combination else None,
            values["n_validation"],
            values["n_wrong"],
            unknown,
            # Models of before there were any say nothing of them.
            Surroundings.from_dict(values["surroundings"]) if values.get("surroundings") else None,
        )
