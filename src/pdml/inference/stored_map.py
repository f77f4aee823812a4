"""Class maps as `.npz` files: plain arrays and names, nothing pickled."""

from __future__ import annotations

import json
import zipfile
import zlib
from pathlib import Path

import numpy as np

from pdml.atomic import atomic_path
from pdml.errors import MissingFileError, UnreadableFileError
from pdml.inference.class_map import ClassMap


def save_class_map(path: Path, class_map: ClassMap) -> None:
    """Writes a map with everything in it.

    The arrays `classes` (1 to K, 0 where nothing was measured, K + 1 where a pixel was rejected),
    `top_probability` and `entropy` follow from `probability` and are there for other software, if
    the model gives probabilities.

    Raises:
        StorageError: If it cannot be written.
    """
    about = {
        "class_names": class_map.class_names,
        "colours": class_map.colours,
        "min_probability": class_map.min_probability,
        "has_probability": class_map.has_probability,
    }
    arrays = {
        "classes": class_map.codes.astype(np.int16),
        "probability": class_map.probability,
        "measured": class_map.measured,
        "about": np.array(json.dumps(about)),
    }
    if class_map.has_probability:
        arrays["top_probability"] = class_map.top_probability
        arrays["entropy"] = class_map.entropy.astype(np.float32)
    if class_map.embedding_variance is not None:
        arrays["embedding_variance"] = class_map.embedding_variance
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def load_class_map(path: Path) -> ClassMap:
    """Reads what `save_class_map` wrote.

    Raises:
        MissingFileError: If there is no such file.
        UnreadableFileError: If it is truncated or of another kind.
    """
    if not path.is_file():
        raise MissingFileError(f"there is no map {path}; make it with `pdml map`")
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            about = json.loads(str(stored["about"]))
            return ClassMap(
                probability=stored["probability"],
                embedding_variance=stored.get("embedding_variance"),
                measured=stored["measured"],
                class_names=tuple(about["class_names"]),
                colours=tuple(about["colours"]),
                min_probability=about.get("min_probability", 0.0),
                has_probability=about.get("has_probability", True),
            )
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise UnreadableFileError(
            f"{path} must be a map that pdml wrote, it is truncated or of another kind; map again"
        ) from error
