"""A scene as if one of its classes were not known, to see whether a model notices it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Int

from pdml.experiments.subject import Subject, require_labels
from pdml.scenes.labels import LabelMap


def without_class(subject: Subject, name: str) -> tuple[Subject, Int[np.ndarray, " n"]]:
    """Takes a class out of all labels of a scene; the cube stays as it is.

    Args:
        subject: The scene.
        name: The class.

    Returns:
        The scene without the class, and the flat indices of all pixels of the class.
    """
    labels = require_labels(subject)
    number = labels.class_names.index(name)

    def reduced(one: LabelMap | None) -> LabelMap | None:
        return None if one is None else one.without_class(number)

    pixels = np.flatnonzero(labels.codes == number + 1)
    return replace(
        subject,
        labels=reduced(labels),
        train=reduced(subject.train),
        test=reduced(subject.test),
    ), pixels
