"""Going on with a run: what was not said is read from its folder, what was said must agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pdml.errors import InvalidInputError
from pdml.experiments.plan import Plan, RunRequest, named_recipe, plan_run, requested_recipe
from pdml.experiments.reopen import reopen_subject
from pdml.experiments.run_folder import RunFolder
from pdml.experiments.split_request import requested_split
from pdml.experiments.subject import Subject
from pdml.splits.checks import require_scene
from pdml.splits.split import Split
from pdml.splits.store import PARTS, load_split
from pdml.training.recipe import Recipe


def plan_in_folder(request: RunRequest, folder: RunFolder, *, resume: bool) -> Plan:
    """The plan of a run that is gone on with if the folder holds one, else that of a new run.

    Raises:
        PdmlError: If something is missing or does not fit.
    """
    if resume and folder.origin.is_file():
        return plan_resumed(request, folder)
    folder.require_free()
    return plan_run(request)


def plan_resumed(request: RunRequest, folder: RunFolder) -> Plan:
    """The plan of a run that is in a folder.

    Args:
        request: What was said anew; all of it may be left out.
        folder: The folder of the run.

    Raises:
        PdmlError: If something that was said differs from the run, or a file of it is missing.
    """
    origin = folder.read_origin()
    subject = reopen_subject(
        folder,
        scene=request.scene,
        labels=request.labels,
        key=request.key,
        labels_key=request.labels_key,
        nodata=request.nodata,
        class_field=request.class_field,
        layer=request.layer,
        crs=request.crs,
    )
    _require_same(
        {name: origin.get(name) for name in subject.origin},
        subject.origin,
        command=origin["command"],
    )
    stored = folder.read_recipe()
    _require_same_method(request, origin)
    recipe = _recipe(request, stored)
    _require_same(stored.to_dict(), recipe.to_dict(), command=origin["command"])
    seed = origin["seed"] if request.seed is None else request.seed
    _require_same({"seed": origin["seed"]}, {"seed": seed}, command=origin["command"])
    split = _split(request, folder, subject, recipe=recipe, seed=seed)
    return Plan(
        subject, split, recipe, seed, command=origin["command"], method=origin.get("method", "")
    )


def _recipe(request: RunRequest, stored: Recipe) -> Recipe:
    """The recipe that was named now; what "auto" meant then it means still."""
    named = stored if request.recipe is None else named_recipe(request)
    return requested_recipe(named, request.settings, precision=stored.precision)


def _require_same_method(request: RunRequest, origin: Mapping[str, Any]) -> None:
    if request.method is not None or request.pdml:
        before = origin.get("method", "")
        _require_same(
            {"method": before}, {"method": request.method_title}, command=origin["command"]
        )


def _require_same(before: Mapping[str, Any], now: Mapping[str, Any], *, command: str) -> None:
    for name, value in now.items():
        if before[name] != value:
            raise InvalidInputError(
                f"a run is resumed as it was started: {name} was {before[name]!r}, now it is "
                f"{value!r}; leave out what changed, or choose another --out "
                f"(it was started with `{command}`)"
            )


def _split(
    request: RunRequest, folder: RunFolder, subject: Subject, *, recipe: Recipe, seed: int
) -> Split:
    stored = load_split(folder.split)
    require_scene(stored, subject.scene.shape[:2])
    if request.split.says_something:
        asked = requested_split(request.split, subject, patch_size=recipe.patch_size, seed=seed)
        for part in PARTS:
            if not np.array_equal(getattr(asked, part).indices, getattr(stored, part).indices):
                raise InvalidInputError(
                    f"a run is resumed with the split that it was started with, the {part} pixels "
                    "differ; leave out the options of the split, or choose another --out"
                )
    return stored
