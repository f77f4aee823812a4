"""Twins: scenes of the size, classes and label counts of public ones, whose spectra are made up.

Label maps and labelled spectra of some scenes are published without the cube. Where they lie in the
folder that `PDML_SHARED_DATA` names, a twin has the true label map and its classes have their true
mean spectra; everything else is generated from a seed.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from pdml.datasets.card import Card, Role
from pdml.datasets.counted_labels import counted_labels, highest
from pdml.datasets.load import LoadedDataset
from pdml.datasets.synthetic import synthetic_scene
from pdml.datasets.verify import verify_labels
from pdml.errors import UnreadableFileError
from pdml.scenes.labels import LabelMap

SHARED_VARIABLE = "PDML_SHARED_DATA"

# Published parts of scenes, by the dataset's name.
_FILES = {
    "pavia_university": "pavia_university_labels_only.npz",
    "ksc": "ksc_sparse.npz",
    "houston2013": "houston2013_labels_lidar_trainspectra.npz",
}
_LABEL_KEYS: dict[Role, str] = {"labels": "gt", "train": "train", "test": "test"}


@dataclass(frozen=True)
class _Parts:
    """What is known of a scene without its cube: label maps by their role, and mean spectra."""

    labels: Mapping[Role, LabelMap] = field(default_factory=dict)
    spectra: Float[np.ndarray, "class_ band"] | None = None
    path: Path | None = None


def twin_dataset(card: Card, *, seed: int = 0) -> LoadedDataset:
    """Makes the twin of a public scene in full size.

    Args:
        card: The scene.
        seed: The same seed and the same published parts make the same twin.

    Returns:
        A scene with `about["twin"]` set, with the published label counts.

    Raises:
        UnreadableFileError: If a file in the shared folder is not what its name says.
    """
    rng = np.random.default_rng(seed)
    parts = _published_parts(card)
    labels = parts.labels or _generated_labels(card, rng)
    joined = labels.get("labels") or LabelMap(
        np.max([one.codes for one in labels.values()], axis=0), card.class_names, card.colours
    )
    scene, _ = synthetic_scene(
        n_bands=card.shape[2],
        seed=seed,
        label_map=joined,
        spectra=parts.spectra,
        dtype="uint16" if np.dtype(card.dtype).kind in "ui" else "float32",
    )
    about = {
        **scene.about,
        "twin": True,
        "labels": "published" if parts.labels else "generated with the published counts",
        "spectra": "published class means" if parts.spectra is not None else "generated",
    }
    wavelengths = None if card.wavelengths_nm is None else np.array(card.wavelengths_nm)
    return LoadedDataset(
        scene=replace(scene, name=f"twin of {card.name}", wavelengths_nm=wavelengths, about=about),
        labels=joined,
        card=card,
        train=labels.get("train"),
        test=labels.get("test"),
        paths=() if parts.path is None else (parts.path,),
    )


def _published_parts(card: Card) -> _Parts:
    folder = os.environ.get(SHARED_VARIABLE)
    if not folder or card.name not in _FILES:
        return _Parts()
    path = Path(folder) / _FILES[card.name]
    if not path.is_file():
        return _Parts()
    try:
        with np.load(path, allow_pickle=False) as stored:
            codes = {role: stored[_LABEL_KEYS[role]].astype(np.int32) for role in card.counts}
            spectra = _mean_spectra(stored, codes, card.n_classes)
    except (OSError, KeyError, ValueError, IndexError, zipfile.BadZipFile) as error:
        raise UnreadableFileError(
            f"'{path}' must hold the published labels of {card.title}, but reading it failed: "
            f"{error}; copy it again, or unset {SHARED_VARIABLE} for a generated label map"
        ) from error
    labels = {
        role: LabelMap(array, card.class_names, card.colours) for role, array in codes.items()
    }
    for role, one in labels.items():
        verify_labels(card, one, path, role)
    return _Parts(labels, spectra, path)


def _mean_spectra(
    stored: Mapping[str, np.ndarray],
    codes: Mapping[Role, Int[np.ndarray, "row col"]],
    n_classes: int,
) -> Float[np.ndarray, "class_ band"] | None:
    """The mean of the labelled spectra of each class, where there are some."""
    if "train_spectra" in stored:
        spectra = stored["train_spectra"]
        classes = codes["train"][stored["train_rows"], stored["train_cols"]]
    elif "spectra" in stored:
        spectra, classes = stored["spectra"], stored["labels"]
    else:
        return None
    means = [spectra[classes == code].mean(axis=0) for code in range(1, n_classes + 1)]
    return np.stack(means).astype(np.float64)


def _generated_labels(card: Card, rng: np.random.Generator) -> dict[Role, LabelMap]:
    """Label maps with the published number of pixels of each class.

    All labels where they are published as one map, else those of each part.
    """
    every = counted_labels(card.shape[:2], card.counts_of_all, rng=rng)
    if "labels" in card.counts:
        return {"labels": LabelMap(every, card.class_names, card.colours)}
    maps = {}
    for role, counts in card.counts.items():
        codes = np.zeros_like(every)
        for code, count in enumerate(counts, start=1):
            chosen = highest(every == code, count, rng=rng)
            codes[chosen], every[chosen] = code, 0
        maps[role] = LabelMap(codes, card.class_names, card.colours)
    return maps
