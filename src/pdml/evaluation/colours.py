"""Colours of classes: those customary for a dataset, or distinct ones made here."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from jaxtyping import Float

from pdml.errors import InvalidInputError

UNLABELLED = "#ffffff"
NOT_MEASURED = "#cccccc"

# Ten colours that stay apart (at least 26 units of CIELAB) from each other, from white and from
# light grey, also for people who do not see red or green; the most distinct come first.
FIRST_TEN = (
    "#333380",
    "#e6b34d",
    "#801a1a",
    "#ccb3ff",
    "#4d8099",
    "#4d9966",
    "#3380e6",
    "#996600",
    "#801a4d",
    "#99e699",
)
LEVELS = 12  # steps of each channel among which further colours are sought
LIGHTNESS = (25.0, 86.0)  # neither black nor so light that it passes for unlabelled
CHROMA = (20.0, 85.0)  # neither grey, which means not measured, nor glaring
MOST_CLASSES = 256

LINEAR_RGB_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def class_colours(n_classes: int, customary: Sequence[str] = ()) -> tuple[str, ...]:
    """One colour per class as `#rrggbb`.

    Args:
        n_classes: K.
        customary: The dataset's own colours; taken when there is at least one per class.

    Raises:
        InvalidInputError: If there are more classes than colours that can be told apart.
    """
    if len(customary) >= n_classes:
        return tuple(customary[:n_classes])
    if n_classes > MOST_CLASSES:
        raise InvalidInputError(
            f"a picture can show at most {MOST_CLASSES} classes, got {n_classes}; "
            "is this a label map?"
        )
    if n_classes <= len(FIRST_TEN):
        return FIRST_TEN[:n_classes]
    return FIRST_TEN + _further_colours(n_classes - len(FIRST_TEN))


def rgb(colours: Sequence[str]) -> Float[np.ndarray, "n rgb"]:
    """Colours `#rrggbb` as numbers from 0 to 1."""
    levels = [[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in colours]
    return np.array(levels, dtype=np.float64).reshape(-1, 3) / 255


def lightness_and_hue(colours: Float[np.ndarray, "n rgb"]) -> Float[np.ndarray, "n lab"]:
    """Colours in CIELAB (white point D65), where distance is about what the eye sees."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    relative = linear @ LINEAR_RGB_TO_XYZ.T / LINEAR_RGB_TO_XYZ.sum(axis=1)
    edge = 6 / 29
    x, y, z = np.where(relative > edge**3, np.cbrt(relative), relative / (3 * edge**2) + 4 / 29).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


def _further_colours(count: int) -> tuple[str, ...]:
    """Takes, one by one, the colour that is furthest from all those taken before."""
    candidates = np.array(list(product(np.linspace(0, 1, LEVELS), repeat=3)))
    lab = lightness_and_hue(candidates)
    chroma = np.hypot(lab[:, 1], lab[:, 2])
    usable = (
        (lab[:, 0] >= LIGHTNESS[0])
        & (lab[:, 0] <= LIGHTNESS[1])
        & (chroma >= CHROMA[0])
        & (chroma <= CHROMA[1])
    )
    candidates, lab = candidates[usable], lab[usable]
    taken = lightness_and_hue(rgb([*FIRST_TEN, UNLABELLED, NOT_MEASURED]))
    nearest = np.linalg.norm(lab[:, None] - taken[None], axis=2).min(axis=1)
    further = []
    for _ in range(count):
        best = int(nearest.argmax())
        further.append("#" + "".join(f"{round(255 * level):02x}" for level in candidates[best]))
        nearest = np.minimum(nearest, np.linalg.norm(lab - lab[best], axis=1))
    return tuple(further)
