"""Learning what a trained model's doubts mean: on training and validation pixels, never on test."""

from __future__ import annotations

from dataclasses import replace

import torch

from pdml.embeddings.predict import predict_pixels
from pdml.embeddings.prediction import Prediction
from pdml.inference.class_gaussians import class_gaussians
from pdml.inference.combination import fit_combination
from pdml.inference.fit_surroundings import fit_surroundings
from pdml.inference.judged import heard_pixels
from pdml.inference.temperature import fit_temperature
from pdml.inference.uncertainty import Uncertainty
from pdml.inference.unknown.detector import fit_unknown
from pdml.patches.source import PatchSource
from pdml.scenes.labels import LabelledPixels
from pdml.splits.split import Split
from pdml.training.loop import Learnt, Trained


def fit_uncertainty(
    trained: Learnt, source: PatchSource, split: Split, *, surroundings: str = "none"
) -> Uncertainty:
    """Fits what judges the predictions of a trained model.

    The Gaussians of the classes and the score of unknown material come from training pixels, where
    the model has an embedding. How far to listen, temperature, combined score and the threshold of
    unknown material come from validation pixels; without any, there is neither temperature nor
    threshold, and the combined score is the first of its parts alone: training pixels say nothing
    of how far a pixel is from its nearest one.

    Args:
        trained: The model.
        source: The scene's patches, as in training.
        split: Its split; test pixels are not looked at.
        surroundings: `"auto"` to let pixels listen to their surroundings as far as it helps, or
            `"none"`; the recipe says which.
    """
    held_out = _predicted(trained, source, split.validation) if len(split.validation) else None
    known = _by_itself(trained, source, split, held_out)
    if surroundings == "auto":
        known = replace(known, surroundings=fit_surroundings(trained, source, split))
    if held_out is not None and trained.model.has_probability:
        if known.surroundings is not None:
            indices = torch.from_numpy(split.validation.indices).to(source.table.device)
            held_out = heard_pixels(trained.model, known, source, indices)
        return from_held_out(held_out, _classes(split.validation, source), known)
    if known.gaussians is None:
        return known
    none_wrong = torch.zeros(len(split.train), dtype=torch.bool)
    of_train = known.judge(_predicted(trained, source, split.train), known.combined[:1])
    return replace(known, combination=fit_combination(of_train.scores, none_wrong))


def _by_itself(
    trained: Learnt, source: PatchSource, split: Split, held_out: Prediction | None
) -> Uncertainty:
    """What is known of a model's embedding and of the material that it does not know."""
    if not isinstance(trained, Trained):
        return Uncertainty()
    of_train = _predicted(trained, source, split.train)
    classes = _classes(split.train, source)
    gaussians = class_gaussians(
        of_train.mean,
        of_train.variance,
        classes,
        n_classes=split.n_classes,
        match=trained.match,
    )
    return Uncertainty(gaussians=gaussians, unknown=fit_unknown(of_train, classes, held_out))


def from_held_out(
    prediction: Prediction, classes: torch.Tensor, known: Uncertainty | None = None
) -> Uncertainty:
    """Temperature and combined score from pixels that were not trained on.

    Also for a method that is no network: its predictions need probabilities only.

    Args:
        prediction: What the method says of these pixels, at least one, after they have listened
            to their surroundings if they are to.
        classes: Their true classes.
        known: What is known of the method already: where its classes are, how far it listens.
    """
    known = known or Uncertainty()
    temperature = fit_temperature(classes, prediction.probability)
    known = replace(known, temperature=temperature)
    judged = known.judge(prediction, known.combined)
    wrong = judged.classes != classes
    return replace(
        known,
        combination=fit_combination(judged.scores, wrong),
        n_validation=len(classes),
        n_wrong=int(wrong.sum()),
    )


def _predicted(trained: Learnt, source: PatchSource, pixels: LabelledPixels) -> Prediction:
    indices = torch.from_numpy(pixels.indices).to(source.table.device)
    return predict_pixels(trained.model, source, indices)


def _classes(pixels: LabelledPixels, source: PatchSource) -> torch.Tensor:
    return torch.from_numpy(pixels.classes).to(source.table.device)
