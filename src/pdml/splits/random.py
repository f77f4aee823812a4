"""Random split: a share of each class trains, validation is drawn from the rest.

This is the protocol of the paper and of most published tables. Training and test pixels are
neighbours, so test patches see training pixels: `leakage` says how many.
"""

from __future__ import annotations

import numpy as np

from pdml.errors import InvalidInputError
from pdml.scenes.labels import LabelMap
from pdml.splits.checks import require_share, require_trained
from pdml.splits.split import Split


def split_random(
    labels: LabelMap, *, train: float = 0.2, validation: float | int = 0.1, seed: int = 0
) -> Split:
    """Draws training pixels per class, then validation pixels from all that are left.

    The arithmetic is that of the paper's source. A class with n pixels gives
    `n - int((1 - train) * n)` to training, so the share is rounded up and no class is left out.
    Validation is one draw from all remaining pixels, whatever their class. The paper's validation
    sizes are 10 % of all labelled pixels on Indian Pines (1025) and KSC (521); on Pavia University
    the size is that of the training set (4281) and has to be given as a number.

    Args:
        labels: The labelled scene.
        train: Share of each class that trains.
        validation: A share of all labelled pixels (float), or a number of pixels (int).
        seed: Same seed, same split.

    Raises:
        InvalidInputError: If a share is not between 0 and 1, a class has no pixel, or validation
            leaves nothing to test.
    """
    require_share("train", train)
    generator = np.random.default_rng(seed)
    labelled = labels.labelled
    training: list[np.ndarray] = []
    for number in range(labels.n_classes):
        members = generator.permutation(np.flatnonzero(labelled.classes == number))
        training.append(members[: len(members) - int((1 - train) * len(members))])
    chosen = np.concatenate(training)
    rest = np.setdiff1d(np.arange(len(labelled)), chosen)
    n_validation = _validation_count(validation, n_labelled=len(labelled), n_rest=len(rest))
    rest = generator.permutation(rest)
    return require_trained(
        Split(
            train=labelled[np.sort(chosen)],
            validation=labelled[np.sort(rest[:n_validation])],
            test=labelled[np.sort(rest[n_validation:])],
            scene_shape=labels.shape,
            class_names=labels.class_names,
            how={"strategy": "random", "train": train, "validation": validation, "seed": seed},
        )
    )


def _validation_count(validation: float | int, *, n_labelled: int, n_rest: int) -> int:
    if isinstance(validation, int):
        count = validation
    else:
        require_share("validation", validation, zero_allowed=True)
        count = round(validation * n_labelled)
    if not 0 <= count < n_rest:
        raise InvalidInputError(
            f"validation must leave pixels to test: {n_rest} pixels are left after training, "
            f"got {count} for validation; lower train or validation"
        )
    return count
