"""How well each detector tells a class that was left out from the test pixels of all others."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from pdml.embeddings.prediction import Prediction
from pdml.evaluation.detection import detection
from pdml.inference.doubt import DOUBT_SCORES
from pdml.inference.fit_uncertainty import fit_uncertainty
from pdml.inference.judged import judged_pixels
from pdml.inference.uncertainty import DOUBT
from pdml.inference.unknown.class_shape import class_shape
from pdml.inference.unknown.detector import UNKNOWN
from pdml.inference.unknown.detectors import (
    energy,
    mahalanobis,
    neighbour_distance,
    relative_mahalanobis,
)
from pdml.patches.source import PatchSource
from pdml.splits.split import Split
from pdml.training.loop import Learnt


def detector_scores(
    trained: Learnt, source: PatchSource, split: Split, unknown: Int[np.ndarray, " n"]
) -> dict[str, dict[str, float]]:
    """AUROC and false alarms of every detector that the model has.

    Args:
        trained: A model that knows nothing of one class.
        source: The scene's patches.
        split: The split without that class; its test pixels are the known ones.
        unknown: Flat indices of the pixels of the class.
    """
    known = fit_uncertainty(trained, source, split)
    wanted = (*DOUBT_SCORES.names(), DOUBT, UNKNOWN)

    def said(indices: Int[np.ndarray, " n"]) -> Prediction:
        pixels = torch.from_numpy(indices).to(source.table.device)
        return judged_pixels(trained.model, known, source, pixels, wanted=wanted, with_spectra=True)

    of_train = said(split.train.indices)
    judged = said(np.concatenate([split.test.indices, unknown]))
    classes = torch.from_numpy(split.train.classes)
    found = {**judged.scores, **_further(judged, of_train, classes)}
    is_unknown = np.arange(len(judged.mean)) >= len(split.test)
    return {name: _scored(score, is_unknown) for name, score in sorted(found.items())}


def _further(
    judged: Prediction, of_train: Prediction, classes: Int[Tensor, " n"]
) -> dict[str, Float[Tensor, " m"]]:
    """Detectors that no map needs."""
    assert judged.logits is not None
    assert judged.spectrum is not None
    assert judged.features is not None
    assert of_train.features is not None
    assert of_train.spectrum is not None
    shape = class_shape(of_train.mean, classes)
    of_all = class_shape(of_train.mean, torch.zeros_like(classes))
    return {
        "energy": energy(judged.logits),
        "mahalanobis": mahalanobis(judged.mean, shape),
        "relative_mahalanobis": relative_mahalanobis(judged.mean, shape, of_all),
        "neighbour_distance": neighbour_distance(judged.mean, of_train.mean),
        "features": mahalanobis(judged.features, class_shape(of_train.features, classes)),
        "spectrum": mahalanobis(judged.spectrum, class_shape(of_train.spectrum, classes)),
    }


def _scored(score: Float[Tensor, " n"], is_unknown: np.ndarray) -> dict[str, float]:
    found = detection(score.double().cpu().numpy(), is_unknown)
    return {"auroc": found.auroc, "fpr95": found.fpr95}
