"""How good pixels are by their own patches, where they listen to their surroundings as well."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int

from pdml.embeddings.prediction import Prediction
from pdml.evaluation.metrics import AloneRecord
from pdml.evaluation.scores import score


def alone_record(truth: Int[np.ndarray, " n"], said: Prediction) -> AloneRecord | None:
    """Scores of some pixels by themselves; None where they are all that there is.

    Args:
        truth: True classes.
        said: What is said of the pixels.
    """
    if said.alone is None:
        return None
    probability = said.alone.cpu().numpy()
    names = [str(number) for number in range(probability.shape[1])]
    scores = score(truth, probability.argmax(axis=1), class_names=names, probability=probability)
    found = scores.to_dict()
    return {"oa": found["oa"], "aa": found["aa"], "kappa": found["kappa"], "ece": found["ece"]}
