"""What a run's line says of its doubts: how far it listened, and how well each measure did."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Int

from pdml.embeddings.prediction import Prediction
from pdml.evaluation.ranking import auroc
from pdml.experiments.alone import alone_record
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
    if (alone := alone_record(truth, said)) is not None:
        found["alone"] = alone
    return found
