"""Splits on disk: one `.npz` of plain arrays, with names and settings as JSON text inside."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
import zlib
from pathlib import Path

import numpy as np

from pdml.errors import MissingFileError, StorageError, UnreadableFileError
from pdml.scenes.labels import LabelledPixels
from pdml.splits.split import Split

FORMAT = "pdml split 1"
BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, NotImplementedError)
PARTS = ("train", "validation", "test")


def save_split(split: Split, path: str | Path) -> Path:
    """Writes a split; a file that was there is replaced only when the new one is complete.

    Args:
        split: The split.
        path: The file, customarily ending in `.npz`.

    Returns:
        The path.

    Raises:
        StorageError: If the file cannot be written; what was there before is untouched.
    """
    target = Path(path)
    about = {
        "format": FORMAT,
        "scene_shape": list(split.scene_shape),
        "class_names": list(split.class_names),
        "how": split.how,
    }
    arrays = {"about": np.array(json.dumps(about))}
    for name in PARTS:
        part: LabelledPixels = getattr(split, name)
        arrays[f"{name}_indices"] = part.indices.astype(np.int64)
        arrays[f"{name}_classes"] = part.classes.astype(np.int64)
    unfinished: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.name}-", delete=False
        ) as file:
            unfinished = Path(file.name)
            np.savez_compressed(file, allow_pickle=False, **arrays)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    except OSError as error:
        if unfinished is not None:
            unfinished.unlink(missing_ok=True)
        raise StorageError(
            f"the split must be writable to '{target}', got: {error.strerror or error}; "
            "check that the folder exists and has space"
        ) from error
    return target


def load_split(path: str | Path) -> Split:
    """Reads a split that `save_split` wrote.

    Raises:
        MissingFileError: If there is no such file.
        UnreadableFileError: If it is truncated, of another kind, or does not fit together.
    """
    source = Path(path)
    if not source.is_file():
        raise MissingFileError(f"there is no split file '{source}'; check the path")
    try:
        with source.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            about = json.loads(str(stored["about"]))
            if about["format"] != FORMAT:
                raise KeyError("format")
            train, validation, test = (
                LabelledPixels(stored[f"{name}_indices"], stored[f"{name}_classes"])
                for name in PARTS
            )
            n_rows, n_cols = about["scene_shape"]
            split = Split(
                train,
                validation,
                test,
                scene_shape=(int(n_rows), int(n_cols)),
                class_names=tuple(about["class_names"]),
                how=about["how"],
            )
    except (OSError, KeyError, TypeError, ValueError, EOFError, *BROKEN_ZIP) as error:
        raise UnreadableFileError(
            f"'{source}' must be a split that pdml saved, but it is truncated or of another kind; "
            "make the split again"
        ) from error
    _require_consistent(split, source)
    return split


def _require_consistent(split: Split, source: Path) -> None:
    n_pixels = split.scene_shape[0] * split.scene_shape[1]
    for name in PARTS:
        part: LabelledPixels = getattr(split, name)
        if part.indices.ndim != 1 or part.indices.shape != part.classes.shape:
            reason = f"{name} has {part.indices.size} pixels and {part.classes.size} classes"
        elif len(part) and not (part.indices.min() >= 0 and part.indices.max() < n_pixels):
            reason = f"{name} has pixels outside its scene of {n_pixels} pixels"
        elif len(part) and not (part.classes.min() >= 0 and part.classes.max() < split.n_classes):
            reason = f"{name} has classes outside its {split.n_classes} class names"
        else:
            continue
        raise UnreadableFileError(
            f"the split in '{source}' must fit together, but {reason}; make the split again"
        )
