"""The scene of a sweep: the real one, its twin, or a small synthetic one."""

from __future__ import annotations

from pdml.datasets.card import dataset_card
from pdml.datasets.load import LoadedDataset, load_dataset
from pdml.datasets.synthetic import synthetic_scene
from pdml.datasets.twin import twin_dataset
from pdml.errors import InvalidInputError, MissingFileError
from pdml.experiments.subject import Subject

SYNTHETIC = "synthetic"
_SIDE = 40
_SEED = 0


def sweep_subject(dataset: str, *, twin: bool = False) -> Subject:
    """Opens or makes the scene.

    Args:
        dataset: A dataset's name, or `synthetic`.
        twin: Make the twin of that dataset instead of opening it.

    Raises:
        MissingFileError: If the real scene is not at hand; the message says where it is looked for.
        InvalidInputError: If a twin of the synthetic scene is asked for.
    """
    if dataset == SYNTHETIC:
        if twin:
            raise InvalidInputError(
                "a twin stands for a real scene, got --twin with 'synthetic'; leave it out"
            )
        return _synthetic()
    if twin:
        return _of(twin_dataset(dataset_card(dataset), seed=_SEED), dataset)
    try:
        return _of(load_dataset(dataset), dataset)
    except MissingFileError as error:
        raise MissingFileError(
            f"{error}; or say --twin to run on a twin of the same size, whose scores do not count"
        ) from error


def _synthetic() -> Subject:
    scene, labels = synthetic_scene(
        _SIDE, _SIDE, n_bands=16, n_classes=4, parcel_pixels=8, seed=_SEED
    )
    return Subject(scene, labels, None, None, None, None, {"scene": SYNTHETIC})


def _of(loaded: LoadedDataset, dataset: str) -> Subject:
    bands = loaded.card.rgb_bands
    origin = {"scene": dataset}
    return Subject(loaded.scene, loaded.labels, dataset, bands, loaded.train, loaded.test, origin)
