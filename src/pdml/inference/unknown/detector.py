"""`UnknownDetector`: what a model keeps to notice material that is in none of its classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pdml.embeddings.prediction import Prediction
from pdml.errors import InvalidInputError
from pdml.inference.unknown.class_shape import ClassShape, class_shape
from pdml.inference.unknown.detectors import energy, mahalanobis
from pdml.inference.unknown.false_alarm import threshold_for

UNKNOWN = "unknown"
"""Name of the score."""


@dataclass(frozen=True)
class UnknownDetector:
    """The sum of two scores in standard deviations of the training pixels.

    The energy asks the end of the network, the Mahalanobis distance its beginning: the features of
    spectra, averaged over the patch. A network keeps what tells the known classes apart, and the
    deeper a layer, the less is left of what would give away another material.

    Attributes:
        features: Where the features of training patches lie.
        centre: Mean of energy and of distance over the training pixels.
        scale: Their standard deviations.
        held_out: Scores of validation pixels, sorted; none for a model without.
    """

    features: ClassShape
    centre: tuple[float, float]
    scale: tuple[float, float]
    held_out: Float[Tensor, " n"]

    def score(self, prediction: Prediction) -> Float[Tensor, " n"]:
        """How unlike the known classes pixels are.

        Args:
            prediction: With logits and features.
        """
        parts = _parts(prediction, self.features)
        pairs = zip(parts, self.centre, self.scale, strict=True)
        first, second = ((part - centre) / scale for part, centre, scale in pairs)
        return first + second

    def threshold(self, false_alarm: float) -> float:
        """The score above which a pixel is unknown.

        Args:
            false_alarm: Share of known pixels that may be taken for unknown.

        Raises:
            InvalidInputError: If there were too few validation pixels for it.
        """
        return threshold_for(self.held_out.cpu().numpy(), false_alarm)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; the rest is in `to_tensors`."""
        return {"centre": self.centre, "scale": self.scale}

    def to_tensors(self) -> dict[str, Tensor]:
        """Everything large, by name."""
        return {
            "means": self.features.means,
            "whitener": self.features.whitener,
            "held_out": self.held_out,
        }

    @classmethod
    def from_parts(
        cls, values: Mapping[str, Any], tensors: Mapping[str, Tensor]
    ) -> UnknownDetector:
        """What `to_dict` and `to_tensors` made."""
        (first, second), (third, fourth) = values["centre"], values["scale"]
        shape = ClassShape(tensors["means"], tensors["whitener"])
        return cls(shape, (first, second), (third, fourth), tensors["held_out"])


def fit_unknown(
    of_train: Prediction, classes: Int[Tensor, " n"], held_out: Prediction | None = None
) -> UnknownDetector:
    """Fits a detector to training pixels, and its threshold to validation pixels.

    Validation pixels have no say in the score itself, or the threshold would not mean what it says.

    Args:
        of_train: What the model says of training pixels, with logits and features.
        classes: Their classes.
        held_out: What it says of validation pixels; None without any.
    """
    assert of_train.features is not None
    features = class_shape(of_train.features, classes)
    parts = [part.double() for part in _parts(of_train, features)]
    spreads = [float(part.std(correction=0)) for part in parts]
    detector = UnknownDetector(
        features,
        centre=(float(parts[0].mean()), float(parts[1].mean())),
        scale=(spreads[0] or 1.0, spreads[1] or 1.0),
        held_out=torch.zeros(0),
    )
    if held_out is None:
        return detector
    scores = detector.score(held_out).sort().values.cpu()
    return UnknownDetector(features, detector.centre, detector.scale, scores)


def _parts(
    prediction: Prediction, features: ClassShape
) -> tuple[Float[Tensor, " n"], Float[Tensor, " n"]]:
    """Energy and distance of the features."""
    assert prediction.logits is not None
    assert prediction.features is not None
    return energy(prediction.logits), mahalanobis(prediction.features, features)


def require_detector(detector: UnknownDetector | None) -> UnknownDetector:
    """The detector of a model.

    Raises:
        InvalidInputError: If it has none.
    """
    if detector is None:
        raise InvalidInputError(
            "--reject needs a model that was stored with a detector of unknown material, this one "
            "is older; train again, or leave out --reject"
        )
    return detector
