"""Several scores of a pixel become one: a logistic regression of "wrong" on validation pixels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float
from scipy.optimize import minimize
from scipy.special import expit
from torch import Tensor

FEWEST_MISTAKES = 10
"""With fewer wrong (or right) pixels than these, weights would be fitted to chance."""

PULL = 1.0
"""Strength with which weights are drawn to equal ones, in mistakes: many mistakes overrule it."""

SMALLEST, LARGEST = 1e-12, 1e12


@dataclass(frozen=True)
class Combination:
    """How scores become one.

    The logarithm of each score is standardised, so that scores of any scale can be added and a far
    outlier stays one; the weights are not negative, so that more doubt of one kind never lowers
    the whole; the sum goes through a sigmoid.

    Attributes:
        names: The scores.
        centre: Mean of each score's logarithm on the pixels that it was fitted on.
        scale: Its standard deviation there.
        weights: What each score counts.
        intercept: What is added.
        fitted: Whether the weights were fitted to mistakes; else all count alike, and only the
            order of the result means something.
    """

    names: tuple[str, ...]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float
    fitted: bool

    def apply(self, scores: Mapping[str, Float[Tensor, " n"]]) -> Float[Tensor, " n"]:
        """The combined score, 0 to 1: the probability of a mistake if it was fitted to some."""
        total = torch.full_like(scores[self.names[0]], self.intercept)
        for name, centre, scale, weight in zip(
            self.names, self.centre, self.scale, self.weights, strict=True
        ):
            total = total + (_log(scores[name]) - centre) * (weight / scale)
        return total.sigmoid()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Combination:
        """What `to_dict` made."""
        lists = {name: tuple(values[name]) for name in ("names", "centre", "scale", "weights")}
        return cls(**lists, intercept=values["intercept"], fitted=values["fitted"])


def fit_combination(
    scores: Mapping[str, Float[Tensor, " n"]], wrong: Bool[Tensor, " n"]
) -> Combination:
    """Fits the weights of scores to the mistakes among some pixels.

    With fewer than `FEWEST_MISTAKES` mistakes, all scores count alike.

    Args:
        scores: At least one score of at least one pixel.
        wrong: Whether the pixel's class is wrong.
    """
    logs = np.stack([_log(score).double().cpu().numpy() for score in scores.values()], axis=1)
    centre, scale = logs.mean(axis=0), logs.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    found = wrong.cpu().numpy()
    weights, intercept = np.full(len(scores), 1 / len(scores)), 0.0
    fitted = FEWEST_MISTAKES <= found.sum() <= len(found) - FEWEST_MISTAKES
    if fitted:
        weights, intercept = logistic_weights((logs - centre) / scale, found)
    return Combination(
        tuple(scores),
        tuple(centre.tolist()),
        tuple(scale.tolist()),
        tuple(weights.tolist()),
        float(intercept),
        bool(fitted),
    )


def logistic_weights(
    inputs: Float[np.ndarray, "n score"], wrong: Bool[np.ndarray, " n"]
) -> tuple[Float[np.ndarray, " score"], float]:
    """Weights and intercept of a logistic regression whose weights are not negative.

    Minimises the negative log-likelihood plus `PULL` / 2 times the squared distance of the weights
    from equal ones that sum to one.
    """
    n_scores = inputs.shape[1]
    start = np.full(n_scores, 1 / n_scores)

    def loss(values: Float[np.ndarray, " value"]) -> tuple[float, Float[np.ndarray, " value"]]:
        weights, intercept = values[:-1], values[-1]
        logits = inputs @ weights + intercept
        pull = weights - start
        value = np.logaddexp(0, logits).sum() - logits[wrong].sum() + PULL / 2 * pull @ pull
        slope = expit(logits) - wrong
        return float(value), np.append(inputs.T @ slope + PULL * pull, slope.sum())

    bounds = [(0, None)] * n_scores + [(None, None)]
    found = minimize(loss, np.append(start, 0.0), jac=True, bounds=bounds, method="L-BFGS-B")
    return found.x[:-1], float(found.x[-1])


def _log(score: Float[Tensor, " n"]) -> Float[Tensor, " n"]:
    return score.clamp(SMALLEST, LARGEST).log()
