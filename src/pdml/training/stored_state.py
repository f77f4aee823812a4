"""The checkpoint of a run in its folder: written at the end of an epoch, refused if not its own."""

from __future__ import annotations

from pathlib import Path

from pdml.errors import InvalidInputError
from pdml.training.checkpoint import load_tensors, save_tensors
from pdml.training.history import write_history
from pdml.training.recipe import Recipe
from pdml.training.state import TrainingState

CHECKPOINT = "checkpoint.safetensors"
HISTORY = "history.csv"


def save_state(folder: Path, state: TrainingState, *, recipe: Recipe, seed: int) -> None:
    """Writes the checkpoint and the history of a run."""
    tensors, about = state.to_tensors()
    save_tensors(folder / CHECKPOINT, tensors, {**about, "recipe": recipe.to_dict(), "seed": seed})
    write_history(folder / HISTORY, state.history)


def load_state(folder: Path, state: TrainingState, *, recipe: Recipe, seed: int) -> None:
    """Takes up a run from its folder; does nothing if it has no checkpoint yet.

    Raises:
        InvalidInputError: If the checkpoint is of another recipe or seed; the first difference is
            in the message.
    """
    path = folder / CHECKPOINT
    if not path.exists():
        return
    tensors, about = load_tensors(path)
    stored = {**about["recipe"], "seed": about["seed"]}
    asked = {**recipe.to_dict(), "seed": seed}
    for key in sorted(stored.keys() | asked.keys()):
        if stored.get(key) != asked.get(key):
            raise InvalidInputError(
                f"a run is resumed with the recipe that it was started with: {key} was "
                f"{stored.get(key)!r}, now it is {asked.get(key)!r}; "
                "leave out what changed, or choose another --out"
            )
    state.restore(tensors, about)
