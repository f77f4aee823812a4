"""`Prediction`: what a model says about some pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True)
class Prediction:
    """What is said about each of n pixels.

    Attributes:
        probability: Probability of each class.
        mean: Mean of the pixel's embedding; without columns for a method that has none.
        variance: Variance of the embedding averaged over its coordinates; None without one.
        logits: What the probabilities were made of; None for a method that has none.
        features: Mean over the pixel's patch of what the spectral stage makes of single spectra;
            None for a method that has none.
        spectrum: Mean spectrum of the patch, standardised, where it was asked for.
        alone: Probability of each class by the pixel's own patch, where `probability` listens to
            the surroundings as well.
        scores: Measures of doubt by their names, larger where there is more of it.
    """

    probability: Float[Tensor, "n class_"]
    mean: Float[Tensor, "n feature"]
    variance: Float[Tensor, " n"] | None
    logits: Float[Tensor, "n class_"] | None = None
    scores: Mapping[str, Float[Tensor, " n"]] = field(default_factory=dict)
    features: Float[Tensor, "n channel"] | None = None
    spectrum: Float[Tensor, "n band"] | None = None
    alone: Float[Tensor, "n class_"] | None = None

    @property
    def classes(self) -> Int[Tensor, " n"]:
        """The most probable class."""
        return self.probability.argmax(dim=1)

    def at(self, rows: Int[Tensor, " some"]) -> Prediction:
        """What is said about some of the pixels."""
        return Prediction(
            self.probability[rows],
            self.mean[rows],
            None if self.variance is None else self.variance[rows],
            None if self.logits is None else self.logits[rows],
            {name: score[rows] for name, score in self.scores.items()},
            None if self.features is None else self.features[rows],
            None if self.spectrum is None else self.spectrum[rows],
            None if self.alone is None else self.alone[rows],
        )


def lacking(probability: Float[Tensor, "n class_"]) -> Float[Tensor, " n"]:
    """What the most probable class lacks to certainty.

    As the sum of the others: one minus 0.99999999 is zero in single precision, and then all sure
    pixels would be equally sure.
    """
    others = probability.scatter(1, probability.argmax(dim=1, keepdim=True), 0.0)
    return others.sum(dim=1)


def joined(parts: Sequence[Prediction]) -> Prediction:
    """Predictions of one method, one after the other."""
    return Prediction(
        torch.cat([part.probability for part in parts]),
        torch.cat([part.mean for part in parts]),
        _joined([part.variance for part in parts]),
        _joined([part.logits for part in parts]),
        {name: torch.cat([part.scores[name] for part in parts]) for name in parts[0].scores},
        _joined([part.features for part in parts]),
        _joined([part.spectrum for part in parts]),
        _joined([part.alone for part in parts]),
    )


def averaged(parts: Sequence[Prediction]) -> Prediction:
    """The mean of several predictions of the same pixels, before they are judged."""
    return Prediction(
        torch.stack([part.probability for part in parts]).mean(dim=0),
        torch.stack([part.mean for part in parts]).mean(dim=0),
        _averaged([part.variance for part in parts]),
        _averaged([part.logits for part in parts]),
    )


def _joined(parts: Sequence[Tensor | None]) -> Tensor | None:
    there = [part for part in parts if part is not None]
    return torch.cat(there) if there else None


def _averaged(parts: Sequence[Tensor | None]) -> Tensor | None:
    there = [part for part in parts if part is not None]
    return torch.stack(there).mean(dim=0) if there else None
