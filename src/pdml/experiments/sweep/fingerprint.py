"""A short name for the content of a scene and its labels: equal content, equal name."""

from __future__ import annotations

import hashlib

import numpy as np

from pdml.experiments.subject import Subject
from pdml.scenes.row_blocks import row_blocks

_LENGTH = 16


def fingerprint(subject: Subject) -> str:
    """Digest of all values of the scene and of its label maps."""
    digest = hashlib.sha256(repr(subject.scene.shape).encode())
    for window in row_blocks(subject.scene):
        digest.update(np.ascontiguousarray(subject.scene.read(window)).view(np.uint8).data)
    for labels in (subject.labels, subject.train, subject.test):
        if labels is not None:
            digest.update(labels.codes.astype("<i4").tobytes())
    return digest.hexdigest()[:_LENGTH]
