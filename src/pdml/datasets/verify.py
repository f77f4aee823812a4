"""Checks that opened files are the dataset that they are taken for."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pdml.datasets.card import Card, Role
from pdml.errors import UnreadableFileError
from pdml.scenes.labels import LabelMap
from pdml.scenes.scene import Scene


def verify_scene(card: Card, scene: Scene, path: Path) -> None:
    """Checks a cube's shape and kind of values against the card.

    Raises:
        UnreadableFileError: If they differ; what was expected and what was found is named.
    """
    if scene.shape != card.shape:
        raise _not_it(card, path, f"a cube of {card.shape}", f"{scene.shape}")
    # Copies differ in width and sign (int16, uint16); a normalised copy is another thing.
    kinds = "ui" if np.dtype(card.dtype).kind in "ui" else "uif"
    if scene.source.dtype.kind not in kinds:
        raise _not_it(card, path, f"values like {card.dtype}", f"{scene.source.dtype}")


def verify_labels(card: Card, labels: LabelMap, path: Path, role: Role) -> None:
    """Checks a label map's size and the number of pixels of each class against the card.

    Raises:
        UnreadableFileError: If they differ; the classes that differ are named.
    """
    if labels.shape != card.shape[:2]:
        raise _not_it(card, path, f"labels of {card.shape[:2]}", f"{labels.shape}")
    if role not in card.counts:
        return
    wrong = [
        f"{found} (not {expected}) of '{name}'"
        for name, found, expected in zip(
            card.class_names, labels.counts, card.counts[role], strict=True
        )
        if found != expected
    ]
    if wrong:
        known = f"{sum(card.counts[role])} labelled pixels as published"
        more = f" and {len(wrong) - 3} more classes" if len(wrong) > 3 else ""
        raise _not_it(card, path, known, f"{', '.join(wrong[:3])}{more}")


def _not_it(card: Card, path: Path, expected: str, found: str) -> UnreadableFileError:
    return UnreadableFileError(
        f"'{path}' must be {card.title} with {expected}, got {found}; "
        "give it as a path instead of by name if it is meant to differ"
    )
