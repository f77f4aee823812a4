"""What identifies a mapping, so that an interrupted one is gone on with only as what it was."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

import pdml
from pdml.experiments.subject import Subject
from pdml.inference.bundle import Bundle
from pdml.scenes.scene import Scene
from pdml.scenes.window import Window

SAMPLED_ROWS = 3


def map_job(bundle: Bundle, subject: Subject, **options: Any) -> dict[str, Any]:
    """Everything that a map depends on, in plain values: model, scene, options.

    Args:
        bundle: The model.
        subject: The scene.
        options: How it is mapped and written, with the tiles.
    """
    return {
        "version": pdml.__version__,
        "model": _of_model(bundle),
        "scene": _of_scene(subject),
        "options": options,
    }


def _of_model(bundle: Bundle) -> str:
    digest = hashlib.sha256()
    about = (
        bundle.model.spec.to_dict(),
        bundle.standardiser.to_dict(),
        bundle.border,
        bundle.class_names,
        bundle.colours,
    )
    digest.update(repr(about).encode())
    if bundle.features is not None:
        digest.update(repr(bundle.features.to_dict()).encode())
    for name, tensor in sorted(bundle.model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _of_scene(subject: Subject) -> dict[str, Any]:
    """How the scene was opened, what its file looks like, and the values of a few rows."""
    scene = subject.scene
    opened = {name: value for name, value in subject.origin.items() if "labels" not in name}
    path = Path(str(opened.get("scene", "")))
    status = path.stat() if path.exists() else None
    return {
        **opened,
        "shape": list(scene.shape),
        "type": scene.source.dtype.str,
        "missing": repr(scene.nodata),
        "georeference": repr(scene.georeference),
        "file": [status.st_size, status.st_mtime_ns] if status else None,
        "values": _sample(scene),
    }


def _sample(scene: Scene) -> str:
    digest = hashlib.sha256()
    for row in np.unique(np.linspace(0, scene.n_rows - 1, SAMPLED_ROWS, dtype=int)):
        digest.update(scene.read(Window(int(row), int(row) + 1, 0, scene.n_cols)).tobytes())
    return digest.hexdigest()
