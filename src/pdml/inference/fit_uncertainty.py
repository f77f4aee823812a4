"""Learning what a trained model's doubts mean: on training and validation pixels, never on test."""

from __future__ import annotations

import torch

from pdml.embeddings.predict import predict_pixels
from pdml.embeddings.prediction import Prediction
from pdml.inference.class_gaussians import class_gaussians
from pdml.inference.combination import fit_combination
from pdml.inference.doubt import doubt_scores
from pdml.inference.temperature import fit_temperature
from pdml.inference.uncertainty import COMBINED, Uncertainty
from pdml.inference.unknown.detector import fit_unknown
from pdml.patches.source import PatchSource
from pdml.scenes.labels import LabelledPixels
from pdml.splits.split import Split
from pdml.training.loop import Trained


def fit_uncertainty(trained: Trained, source: PatchSource, split: Split) -> Uncertainty:
    """Fits what judges the predictions of a trained model.

    The Gaussians of the classes and the score of unknown material come from training pixels.
    Temperature, combined score and the threshold of unknown material come from validation pixels;
    without any, there is neither temperature nor threshold, and the combined score is the first of
    its parts alone: training pixels say nothing of how far a pixel is from its nearest one.

    Args:
        trained: The model.
        source: The scene's patches, as in training.
        split: Its split; test pixels are not looked at.
    """
    of_train = _predicted(trained, source, split.train)
    of_train_classes = _classes(split.train, source)
    gaussians = class_gaussians(
        of_train.mean,
        of_train.variance,
        of_train_classes,
        n_classes=split.n_classes,
        match=trained.match,
    )
    classes = _classes(split.validation, source)
    if not len(classes):
        scores = doubt_scores(of_train, gaussians, COMBINED[:1])
        none_wrong = torch.zeros(len(split.train), dtype=torch.bool)
        unknown = fit_unknown(of_train, of_train_classes)
        return Uncertainty(None, gaussians, fit_combination(scores, none_wrong), unknown=unknown)
    held_out = _predicted(trained, source, split.validation)
    unknown = fit_unknown(of_train, of_train_classes, held_out)
    return from_held_out(held_out, classes, Uncertainty(None, gaussians, unknown=unknown))


def from_held_out(
    prediction: Prediction, classes: torch.Tensor, known: Uncertainty | None = None
) -> Uncertainty:
    """Temperature and combined score from pixels that were not trained on.

    Also for a method that is no network: its predictions need probabilities only.

    Args:
        prediction: What the method says of these pixels, at least one.
        classes: Their true classes.
        known: What is known of the method already: the Gaussians of its classes.
    """
    known = known or Uncertainty()
    temperature = fit_temperature(classes, prediction.probability)
    judged = Uncertainty(temperature, known.gaussians).judge(prediction, COMBINED)
    wrong = judged.classes != classes
    return Uncertainty(
        temperature,
        known.gaussians,
        fit_combination(judged.scores, wrong),
        n_validation=len(classes),
        n_wrong=int(wrong.sum()),
        unknown=known.unknown,
    )


def _predicted(trained: Trained, source: PatchSource, pixels: LabelledPixels) -> Prediction:
    indices = torch.from_numpy(pixels.indices).to(source.table.device)
    return predict_pixels(trained.model, source, indices)


def _classes(pixels: LabelledPixels, source: PatchSource) -> torch.Tensor:
    return torch.from_numpy(pixels.classes).to(source.table.device)
