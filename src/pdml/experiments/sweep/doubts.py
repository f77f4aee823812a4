"""What a run's line says of its doubts: how far it listened, and how well each measure did."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Int

from pdml.embeddings.prediction import Prediction
from pdml.evaluation.ranking import auroc
from pdml.evaluation.scores import score
from pdml.inference.uncertainty import Uncertainty


def doubt_record(
    truth: Int[np.ndarray, " n"], said: Prediction, known: Uncertainty
) -> dict[str, Any]:
    """Calibration, and what every measure of doubt knows of the mistakes among some pixels.

    Args:
        truth: True classes.
        said: What is said of them, judged, with all measures.
        known: What judged them.
    """
    wrong = said.classes.cpu().numpy() != truth
    found: dict[str, Any] = {
        "rounds": known.reach,
        "temperature": known.temperature,
        "auroc": {
            name: auroc(values.double().cpu().numpy(), wrong)
            for name, values in sorted(said.scores.items())
        },
    }
    if said.alone is not None:
        alone = said.alone.cpu().numpy()
        names = [str(k) for k in range(alone.shape[1])]
        by_itself = score(truth, alone.argmax(axis=1), class_names=names, probability=alone)
        stored = by_itself.to_dict()
        found["alone"] = {name: stored[name] for name in ("oa", "aa", "kappa", "ece")}
    return found
