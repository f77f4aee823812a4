"""Split by polygons: whole polygons train, validate or test."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int, Int8

from pdml.errors import InvalidInputError
from pdml.scenes.labels import LabelMap, listed
from pdml.splits.checks import require_share, require_shares, require_trained
from pdml.splits.regions import regions_of
from pdml.splits.split import Split

TRIES = 200
"""Random orders of a class's polygons; the one whose shares come closest is taken."""

_TRAIN, _VALIDATION, _TEST = range(3)


def split_polygons(
    labels: LabelMap, *, train: float = 0.25, validation: float = 0.1, seed: int = 0
) -> Split:
    """Deals whole polygons to the three parts, class by class.

    Pixels of one polygon are not independent: they were sown, mown and measured together. So no
    polygon is divided. Each class is in every part, and its shares are met as nearly as its
    polygons allow. In labels that were not drawn as polygons, pixels of one class that touch at a
    side or a corner count as one.

    Neighbouring polygons may still be in different parts; `leakage` says how far their patches
    overlap, and `split_blocks` keeps a distance.

    Args:
        labels: The labelled scene.
        train: Share of each class's pixels that should train.
        validation: Share of each class's pixels that should validate; 0 for none.
        seed: Same seed, same split.

    Raises:
        InvalidInputError: If a share is out of range, a class has too few polygons, or a polygon
            holds pixels of several classes.
    """
    require_share("train", train)
    require_share("validation", validation, zero_allowed=True)
    require_shares(train, validation)
    labelled = labels.labelled
    regions = regions_of(labels)
    sizes = np.bincount(regions)
    class_of = np.zeros(len(sizes), dtype=np.int64)
    class_of[regions] = labelled.classes
    _require_one_class(labels, regions, class_of)
    _require_enough(labels, n_parts=3 if validation > 0 else 2)
    generator = np.random.default_rng(seed)
    parts = np.full(len(sizes), _TEST, dtype=np.int8)
    for number in range(labels.n_classes):
        members = np.flatnonzero(class_of == number)
        parts[members] = _deal(sizes[members], train, validation, generator)
    part = parts[regions]
    names = ("train", "validation", "test")
    how = {
        "strategy": "polygons",
        "train": train,
        "validation": validation,
        "seed": seed,
        "polygons": {
            name: np.bincount(class_of[parts == one], minlength=labels.n_classes).tolist()
            for one, name in enumerate(names)
        },
    }
    pixels = {name: labelled[part == one] for one, name in enumerate(names)}
    return require_trained(
        Split(**pixels, scene_shape=labels.shape, class_names=labels.class_names, how=how)
    )


def _deal(
    sizes: Int[np.ndarray, " polygon"],
    train: float,
    validation: float,
    generator: np.random.Generator,
) -> Int8[np.ndarray, " polygon"]:
    """The part of each polygon of one class.

    The polygons are put in a random order and cut where training and validation come closest to
    their shares. Of many orders the best is kept.
    """
    n_validating = 1 if validation > 0 else 0
    wanted_train, wanted_validation = train * sizes.sum(), validation * sizes.sum()
    best_parts, least = np.zeros(0, dtype=np.int8), np.inf
    for _ in range(TRIES):
        order = generator.permutation(len(sizes))
        so_far = np.cumsum(sizes[order])
        # Cuts are after a polygon, so that every part that is wanted gets at least one.
        first = np.abs(so_far[: len(sizes) - 1 - n_validating] - wanted_train).argmin()
        second = first
        off = abs(so_far[first] - wanted_train)
        if n_validating:
            rest = np.abs(so_far[first + 1 : -1] - so_far[first] - wanted_validation)
            second = first + 1 + rest.argmin()
            off += rest.min()
        if off < least:
            least = off
            best_parts = np.full(len(sizes), _TEST, dtype=np.int8)
            best_parts[order[: second + 1]] = _VALIDATION
            best_parts[order[: first + 1]] = _TRAIN
    return best_parts


def _require_one_class(
    labels: LabelMap,
    regions: Int[np.ndarray, " labelled"],
    class_of: Int[np.ndarray, " polygon"],
) -> None:
    mixed = np.flatnonzero(class_of[regions] != labels.labelled.classes)
    if mixed.size:
        n_polygons = len(np.unique(regions[mixed]))
        raise InvalidInputError(
            f"a polygon must hold pixels of one class, got several in {n_polygons} of "
            f"{len(class_of)}; give each class groups of its own"
        )


def short_of_polygons(labels: LabelMap, *, n_parts: int) -> str:
    """Classes with fewer polygons than parts: "'oats' has 2, 'rye' has 1"; empty if there are none.

    Args:
        labels: The labels.
        n_parts: Training, test and, if there is one, validation.
    """
    regions = regions_of(labels)
    places = np.unique(np.stack([regions, labels.labelled.classes]), axis=1)
    counts = np.bincount(places[1], minlength=labels.n_classes).tolist()
    return listed(
        [
            f"'{name}' has {count}"
            for name, count in zip(labels.class_names, counts, strict=True)
            if count < n_parts
        ]
    )


def _require_enough(labels: LabelMap, *, n_parts: int) -> None:
    short = short_of_polygons(labels, n_parts=n_parts)
    if short:
        what = "1 to train, 1 to validate, 1 to test" if n_parts == 3 else "1 to train, 1 to test"
        without = "--validation 0, which needs only 2, " if n_parts == 3 else ""
        raise InvalidInputError(
            f"a split by polygons needs at least {n_parts} polygons of each class ({what}), but "
            f"{short}; draw more, or try {without}or --split blocks"
        )
