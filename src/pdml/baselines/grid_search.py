"""Search for C and gamma of a Gaussian kernel by cross-validation on training pixels.

The grid is that of the field, C from 2^0 to 2^15 and gamma from 2^-15 to 2^3. It is searched in two
steps: every third power of two, then all neighbours of the best. Distances between the pixels are
computed once for the whole grid.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from pdml.atomic import write_text

C_POWERS = range(16)
GAMMA_POWERS = range(-15, 4)
STEP = 3
CACHE_MB = 500

Point = tuple[int, int]
"""Powers of two of C and gamma."""

Fold = tuple[Int[np.ndarray, " train"], Int[np.ndarray, " held_out"]]


@dataclass(frozen=True)
class Found:
    """What a search found.

    Attributes:
        c: The C.
        gamma: The gamma.
        accuracy: Share of the held-out training pixels that were right.
        n_searched: Training pixels that were searched with.
    """

    c: float
    gamma: float
    accuracy: float | None = None
    n_searched: int = 0


def search(
    x: Float[np.ndarray, "n value"],
    classes: Int[np.ndarray, " n"],
    *,
    seed: int,
    n_folds: int = 5,
    most: int = 3000,
    keep: Path | None = None,
) -> Found:
    """The C and gamma with the best accuracy on held-out training pixels.

    Among equals the smallest C counts, then the smallest gamma.

    Args:
        x: Training pixels.
        classes: Their classes.
        seed: Of the folds.
        n_folds: Number of folds; fewer where no class has so many pixels.
        most: With more pixels than these, as many are drawn: the search needs all their distances.
        keep: Where the result is kept, and read from if it is there for the same pixels.
    """
    job = {"n_pixels": len(x), "n_values": x.shape[1], "seed": seed, "folds": n_folds, "most": most}
    kept = _kept(keep, job)
    if kept is not None:
        return kept
    if len(x) > most:
        drawn = np.sort(np.random.default_rng(seed).permutation(len(x))[:most])
        x, classes = x[drawn], classes[drawn]
    n_folds = min(n_folds, int(np.bincount(classes).max()))
    if n_folds < 2:  # a pixel per class leaves nothing to hold out: LIBSVM's own defaults
        return Found(1.0, 1 / x.shape[1])
    distances = euclidean_distances(x.astype(np.float64), squared=True)
    folds = _folds(classes, n_folds, seed)
    right = _count_right(distances, classes, folds, _coarse())
    best = _best(right)
    right |= _count_right(distances, classes, folds, set(_around(best)) - set(right))
    c_power, gamma_power = best = _best(right)
    accuracy = right[best] / len(classes)
    found = Found(2.0**c_power, 2.0**gamma_power, accuracy, len(classes))
    if keep is not None:
        write_text(keep, json.dumps({"job": job, **asdict(found)}, indent=1) + "\n")
    return found


def _kept(keep: Path | None, job: dict[str, Any]) -> Found | None:
    """What a search for the same found before; anything else that is there does not count."""
    if keep is None or not keep.is_file():
        return None
    try:
        stored = json.loads(keep.read_text(encoding="utf-8"))
        return Found(**stored) if stored.pop("job") == job else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _folds(classes: Int[np.ndarray, " n"], n_folds: int, seed: int) -> list[Fold]:
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # Of classes with fewer pixels than folds: they are held out in some folds only.
        warnings.simplefilter("ignore", UserWarning)
        return [*folds.split(classes, classes)]


def _coarse() -> Iterable[Point]:
    return product(C_POWERS[::STEP], GAMMA_POWERS[::STEP])


def _around(best: Point) -> Iterable[Point]:
    """The neighbours of a point inside the grid."""
    c_power, gamma_power = best
    for c, gamma in product((-1, 0, 1), repeat=2):
        if c_power + c in C_POWERS and gamma_power + gamma in GAMMA_POWERS:
            yield c_power + c, gamma_power + gamma


def _count_right(
    distances: Float[np.ndarray, "n n"],
    classes: Int[np.ndarray, " n"],
    folds: list[Fold],
    points: Iterable[Point],
) -> dict[Point, int]:
    """How many held-out pixels are right at each point."""
    right = dict.fromkeys(sorted(points, key=lambda point: point[1]), 0)
    for gamma_power in dict.fromkeys(gamma for _, gamma in right):
        kernel = np.exp(-(2.0**gamma_power) * distances)
        for train, held_out in folds:
            of_train = kernel[np.ix_(train, train)]
            of_held_out = kernel[np.ix_(held_out, train)]
            if len(set(classes[train].tolist())) < 2:
                continue
            for c_power in [c for c, gamma in right if gamma == gamma_power]:
                machine = SVC(C=2.0**c_power, kernel="precomputed", cache_size=CACHE_MB)
                machine.fit(of_train, classes[train])
                said = machine.predict(of_held_out)
                right[c_power, gamma_power] += int((said == classes[held_out]).sum())
    return right


def _best(right: dict[Point, int]) -> Point:
    return min(right, key=lambda point: (-right[point], point))
