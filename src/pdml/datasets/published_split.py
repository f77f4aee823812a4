"""Published splits of a public scene: training and test pixels from a file that is not ours."""

from __future__ import annotations

import os
from pathlib import Path

from pdml.datasets.card import Card
from pdml.datasets.locate import DATA_VARIABLE, cache_folder
from pdml.datasets.twin import SHARED_VARIABLE
from pdml.errors import MissingFileError, UnreadableFileError, unknown_name
from pdml.scenes.labels import LabelMap
from pdml.scenes.open import open_labels


def load_published_split(card: Card, name: str) -> tuple[LabelMap, LabelMap]:
    """The training and the test map of a published split.

    The file is looked for in the folders that `PDML_DATA` and `PDML_SHARED_DATA` name, where it may
    lie in a folder named after the dataset, and in the cache.

    Args:
        card: The dataset.
        name: One of its `splits`.

    Raises:
        UnknownNameError: If the dataset has no such split.
        MissingFileError: If its file is nowhere; the message says where it is looked for.
        UnreadableFileError: If the file holds something else.
    """
    if name not in card.splits:
        raise unknown_name(f"published split of {card.name}", name, card.splits)
    split = card.splits[name]
    path = _found(card, name)
    train, test = (
        open_labels(path, key=key, class_names=card.class_names, colours=card.colours)
        for key in split.keys
    )
    for part, labels, expected in zip(
        ("train", "test"), (train, test), split.n_pixels, strict=True
    ):
        n_found = len(labels.labelled)
        if labels.shape != card.shape[:2] or n_found != expected:
            raise UnreadableFileError(
                f"'{path}' must hold the published split '{name}' of {card.title} with {expected} "
                f"{part} pixels in {card.shape[0]} x {card.shape[1]}, got {n_found} in "
                f"{labels.shape[0]} x {labels.shape[1]}; give the maps with --train-labels and "
                "--test-labels if they are meant to differ"
            )
    return train, test


def _found(card: Card, name: str) -> Path:
    names = card.splits[name].names
    variables = (os.environ.get(one) for one in (DATA_VARIABLE, SHARED_VARIABLE))
    folders = [Path(one).expanduser() for one in variables if one]
    cache = cache_folder() / card.name
    places = [folder / sub for folder in folders for sub in (card.name, "")]
    for place in [*places, cache]:
        for file in names:
            if (place / file).is_file():
                return place / file
    looked = ", ".join(f"'{folder}'" for folder in [*folders, cache])
    raise MissingFileError(
        f"the published split '{name}' of {card.name} needs a file {' or '.join(names)}, but it is "
        f"not in {looked}; put it into a folder and set {DATA_VARIABLE} to that folder"
    )
