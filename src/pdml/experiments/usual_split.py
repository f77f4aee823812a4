"""The split that is taken when none is asked for: one whose score means something, said plainly."""

from __future__ import annotations

from collections.abc import Mapping

from pdml.experiments.protocol import PROTOCOLS
from pdml.experiments.subject import Subject
from pdml.splits.polygons import short_of_polygons

_OWN_PIXELS = {
    "per-class": {"train_per_class", "validation_per_class"},
    "blocks": {"block_pixels", "guard_pixels"},
}
"""Options that only one strategy has."""


def usual_split(subject: Subject, options: Mapping[str, float | int]) -> tuple[str, str]:
    """The strategy for a scene, and in one sentence why it was taken.

    Public scenes are split as the published tables split them, so that scores can be compared with
    those. A scene of a user's own is split so that training and test are apart: by polygons where
    the labels were drawn and each class has enough of them, in blocks otherwise. It is never split
    at random unless that is asked for.

    Args:
        subject: The scene with its labels.
        options: What was said of the split; some options belong to one strategy.
    """
    for strategy, own in _OWN_PIXELS.items():
        if own & options.keys():
            return strategy, ""
    if subject.dataset is not None and subject.origin.get("labels") is None:
        protocol = PROTOCOLS.get(subject.dataset)
        if protocol and protocol.strategy == "published" and "train" not in options:
            return "published", "Training and test pixels are those that were published."
        return "random", (
            "Split at random, as most published tables on this scene; --split blocks keeps "
            "training and test apart."
        )
    labels = subject.labels
    if labels is None or labels.groups is None:
        return "blocks", (
            "Split in blocks, which keeps training and test apart, because no --split was given."
        )
    n_parts = 2 if options.get("validation") == 0 else 3
    if short := short_of_polygons(labels, n_parts=n_parts):
        return "blocks", (
            f"Split in blocks, not by polygons, which needs {n_parts} of each class: {short}."
        )
    return "polygons", "Split by whole polygons, because the labels were drawn as such."
