"""Checkpoints: one safetensors file with every tensor and, in its header, everything else as JSON.

One file, so that weights and bookkeeping can never be of different epochs; written atomically, so
that a killed run or a full disk leaves the checkpoint before it intact; nothing is unpickled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from pdml.atomic import atomic_path
from pdml.errors import MissingFileError, StorageError, UnreadableFileError

HEADER_KEY = "pdml"


def save_tensors(path: Path, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
    """Writes tensors and JSON-ready values into one file.

    Raises:
        StorageError: If the file cannot be written; an older one stays as it was.
    """
    # Tensors that share memory must be told apart; a copy does, and makes them contiguous.
    own = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    with atomic_path(path) as temporary:
        try:
            save_file(own, temporary, metadata={HEADER_KEY: json.dumps(about)})
        except SafetensorError as error:
            raise StorageError(
                f"cannot write {path}: {error}; what was there before is still there, "
                "free some space or choose another folder"
            ) from error


def load_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Reads what `save_tensors` wrote.

    Raises:
        MissingFileError: If there is no such file.
        UnreadableFileError: If it is truncated or was not written by pdml.
    """
    if not path.is_file():
        raise MissingFileError(f"there is no file {path}; is this the folder of a pdml run?")
    try:
        with safe_open(path, framework="pt") as file:
            header = (file.metadata() or {}).get(HEADER_KEY)
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise UnreadableFileError(
            f"{path} must be a complete safetensors file: {error}; copy or train it again"
        ) from error
    if header is None:
        raise UnreadableFileError(
            f"{path} holds tensors but was not written by pdml; choose the folder of a pdml run"
        )
    try:
        about = json.loads(header)
    except ValueError:
        about = None
    if not isinstance(about, dict):
        raise UnreadableFileError(
            f"{path} must say in its header, as JSON, what it holds, it does not; "
            "copy or train it again"
        )
    return tensors, about
