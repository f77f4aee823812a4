"""How far a model's pixels should listen to their neighbours: what validation pixels say of it."""

from __future__ import annotations

import math
from itertools import pairwise

import torch
from jaxtyping import Float, Int
from torch import Tensor

from pdml.inference.judged import with_surroundings
from pdml.inference.surroundings import Surroundings, guide_of, spread, usual_difference
from pdml.inference.temperature import fit_temperature, tempered
from pdml.patches.source import PatchSource
from pdml.splits.split import Split
from pdml.training.loop import Learnt

ROUNDS = (0, 1, 2, 4, 8, 16)
"""Numbers of rounds that are compared: reaching twice as far costs about twice as much."""

WITHOUT_VALIDATION = 4
"""Rounds where no validation pixel can say how many: few, so that small objects stay."""

TIMES_USUAL = 2.0
"""At so many times the usual difference of neighbours, one counts a quarter for the other."""


def fit_surroundings(trained: Learnt, source: PatchSource, split: Split) -> Surroundings | None:
    """Chooses the number of rounds by the likelihood of the validation pixels' classes.

    Of all numbers that are compared, the smallest is taken whose mean negative log-likelihood is
    within one standard error of the best. The scale follows from the spectra around training
    pixels. Test pixels are not looked at.

    Returns:
        None if it is best not to listen, or if the model has no probabilities.
    """
    if not trained.model.has_probability:
        return None
    device = source.table.device
    measured = torch.from_numpy(source.measured).to(device)
    of_train = torch.from_numpy(split.train.indices).to(device)
    usual = usual_difference(guide_of(source), measured, of_train)
    if usual == 0:
        return None
    scale = TIMES_USUAL * usual
    if not len(split.validation):
        return Surroundings(WITHOUT_VALIDATION, scale)
    indices = torch.from_numpy(split.validation.indices).to(device)
    classes = torch.from_numpy(split.validation.classes).to(device)
    said, around = with_surroundings(trained.model, source, indices, reach=ROUNDS[-1])
    temperature = fit_temperature(classes, said.probability)
    assert temperature is not None  # there are pixels
    shape = around.probability.shape
    calibrated = tempered(around.probability.flatten(1).T, temperature).T.view(shape)
    heard, weights, losses = calibrated * around.present, around.weights(scale), []
    for done, rounds in pairwise((0, *ROUNDS)):
        heard = spread(heard, weights, rounds=rounds - done)
        losses.append(_loss(heard.flatten(1)[:, indices].T, classes))
    chosen = ROUNDS[smallest_sufficient(losses)]
    return Surroundings(chosen, scale, temperature) if chosen else None


def smallest_sufficient(losses: list[Float[Tensor, " n"]]) -> int:
    """Which of several choices is the first that is no worse than the best, as far as one can tell.

    Args:
        losses: Of each choice, the loss of each pixel.
    """
    best = min(losses, key=lambda loss: float(loss.mean()))
    for number, loss in enumerate(losses):
        gap = loss - best
        error = float(gap.std(correction=0)) / math.sqrt(len(gap))
        if float(gap.mean()) <= error:
            return number
    raise AssertionError("the best is no worse than itself")


def _loss(
    probability: Float[Tensor, "n class_"], classes: Int[Tensor, " n"]
) -> Float[Tensor, " n"]:
    """Negative log-likelihood of each pixel at the temperature that suits all."""
    fitted = fit_temperature(classes, probability)
    assert fitted is not None  # there are pixels
    calibrated = tempered(probability.double(), fitted)
    return -calibrated.gather(1, classes[:, None]).squeeze(1).log()
