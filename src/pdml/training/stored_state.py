"""The checkpoint of a run in its folder: written at the end of an epoch, refused if not its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import Tensor

from pdml.errors import InvalidInputError, UnreadableFileError
from pdml.training.checkpoint import load_tensors, save_tensors
from pdml.training.history import write_history
from pdml.training.recipe import Recipe
from pdml.training.state import TrainingState

CHECKPOINT = "checkpoint.safetensors"
HISTORY = "history.csv"
_NOTES = ("epoch", "best_epoch", "history", "recipe", "seed", "tensors")


def save_state(folder: Path, state: TrainingState, *, recipe: Recipe, seed: int) -> None:
    """Writes the history and the checkpoint of a run."""
    tensors, about = state.to_tensors()
    # The checkpoint comes last: a run that is killed in between takes up an older one and writes
    # its history anew, whereas a finished checkpoint would leave an old history for good.
    write_history(folder / HISTORY, state.history)
    about |= {"recipe": recipe.to_dict(), "seed": seed, "tensors": sorted(tensors)}
    save_tensors(folder / CHECKPOINT, tensors, about)


def stored_precision(folder: Path) -> str | None:
    """The precision that a run in a folder is trained in; None if it has no checkpoint yet.

    Raises:
        UnreadableFileError: If the checkpoint is truncated or of another kind.
    """
    path = folder / CHECKPOINT
    if not path.exists():
        return None
    _, about = _read(path)
    precision: str | None = about["recipe"].get("precision")
    return precision


def load_state(folder: Path, state: TrainingState, *, recipe: Recipe, seed: int) -> None:
    """Takes up a run from its folder; does nothing if it has no checkpoint yet.

    Raises:
        InvalidInputError: If the checkpoint is of another recipe or seed, or of a scene with
            another number of bands or classes; the first difference is in the message.
        UnreadableFileError: If the checkpoint is truncated or of another kind.
    """
    path = folder / CHECKPOINT
    if not path.exists():
        return
    tensors, about = _read(path)
    # A run of before there was an ingredient was one without it.
    stored = {**Recipe().to_dict(), **about["recipe"], "seed": about["seed"]}
    asked = {**recipe.to_dict(), "seed": seed}
    for key in sorted(stored.keys() | asked.keys()):
        if stored.get(key) != asked.get(key):
            raise InvalidInputError(
                f"a run is resumed with the recipe that it was started with: {key} was "
                f"{stored.get(key)!r}, now it is {asked.get(key)!r}; "
                "leave out what changed, or choose another --out"
            )
    weights = state.model.state_dict()
    _require_tensors(path, tensors, {*about["tensors"], *(f"model/{name}" for name in weights)})
    for name, weight in weights.items():
        kept = tuple(tensors[f"model/{name}"].shape)
        if kept != tuple(weight.shape):
            raise InvalidInputError(
                "a run is resumed with the bands and classes that it was started with: weight "
                f"{name} was of shape {kept}, now it is {tuple(weight.shape)}; "
                "name the same scene and labels, or choose another --out"
            )
    try:
        state.restore(tensors, about)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        first_line = str(error).partition("\n")[0]
        raise _not_a_checkpoint(path, f"it cannot be taken up: {first_line}") from error


def _read(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    tensors, about = load_tensors(path)
    lacking = [name for name in _NOTES if name not in about]
    if lacking:
        raise _not_a_checkpoint(path, f"it says nothing of {', '.join(lacking)}")
    return tensors, about


def _require_tensors(path: Path, tensors: dict[str, Tensor], needed: set[str]) -> None:
    lacking = sorted(needed - tensors.keys())
    if lacking:
        raise _not_a_checkpoint(path, f"it lacks {len(lacking)} tensors, the first is {lacking[0]}")


def _not_a_checkpoint(path: Path, reason: str) -> UnreadableFileError:
    return UnreadableFileError(
        f"{path} must be a checkpoint that pdml wrote, but {reason}; copy it again, or train anew "
        "with another --out"
    )
