"""Whether what is asked for is the run that a folder holds."""

from __future__ import annotations

import numpy as np

from pdml.errors import InvalidInputError
from pdml.experiments.run_folder import RunFolder
from pdml.splits.split import Split
from pdml.splits.store import load_split
from pdml.training.recipe import Recipe


def same_run(folder: RunFolder, split: Split, recipe: Recipe) -> Recipe:
    """The recipe to go on with: `auto` precision stays what it meant when the run was started.

    Raises:
        InvalidInputError: If the run was started on another split.
    """
    if folder.split.is_file():
        before = load_split(folder.split)
        for name in ("train", "validation", "test"):
            ours, theirs = getattr(split, name), getattr(before, name)
            same = np.array_equal(ours.indices, theirs.indices)
            if not same or not np.array_equal(ours.classes, theirs.classes):
                raise InvalidInputError(
                    f"a run is resumed on the split that it was started on: the {name} pixels "
                    f"differ from those in {folder.split}; leave out what changed, or choose "
                    "another --out"
                )
    if recipe.precision == "auto" and folder.recipe.is_file():
        return recipe.changed({"precision": folder.read_recipe().precision})
    return recipe
