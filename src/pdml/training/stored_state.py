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
    """Writes the history and the checkpoint of a run."""
    tensors, about = state.to_tensors()
    # The checkpoint comes last: a run that is killed in between takes up an older one and writes
    # its history anew, whereas a finished checkpoint would leave an old history for good.
    write_history(folder / HISTORY, state.history)
    save_tensors(folder / CHECKPOINT, tensors, {**about, "recipe": recipe.to_dict(), "seed": seed})


def load_state(folder: Path, state: TrainingState, *, recipe: Recipe, seed: int) -> None:
    """Takes up a run from its folder; does nothing if it has no checkpoint yet.

    Raises:
        InvalidInputError: If the checkpoint is of another recipe or seed, or of a scene with
            another number of bands or classes; the first difference is in the message.
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
    for name, weight in state.model.state_dict().items():
        kept = tuple(tensors[f"model/{name}"].shape)
        if kept != tuple(weight.shape):
            raise InvalidInputError(
                "a run is resumed with the bands and classes that it was started with: weight "
                f"{name} was of shape {kept}, now it is {tuple(weight.shape)}; "
                "name the same scene and labels, or choose another --out"
            )
    state.restore(tensors, about)
