"""Scores of a whole-scene map on the test pixels of a split."""

from __future__ import annotations

from pdml.evaluation.scores import Scores, score
from pdml.inference.class_map import ClassMap
from pdml.splits.split import Split


def score_map(class_map: ClassMap, split: Split) -> Scores:
    """Compares a map with the test labels; a test pixel without data counts as class 0.

    Raises:
        InvalidInputError: If the split has no test pixels or other classes than the map.
    """
    of_test = class_map.probability.reshape(-1, len(class_map.class_names))[split.test.indices]
    return score(
        split.test.classes,
        of_test.argmax(axis=1),
        class_names=split.class_names,
        probability=of_test if class_map.has_probability else None,
    )
