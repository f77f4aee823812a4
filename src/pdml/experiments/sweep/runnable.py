"""Which variants can be run on a scene, each with its recipe and its split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pdml.errors import InvalidInputError, PdmlError
from pdml.experiments.buildable import require_buildable
from pdml.experiments.experiment import Experiment, Variant
from pdml.experiments.protocol import Protocol
from pdml.experiments.search import BASE
from pdml.experiments.subject import Subject, require_labels
from pdml.experiments.sweep.splits import complete_split, require_maps
from pdml.patches.source import require_patch_size
from pdml.training.inputs import model_spec, n_inputs
from pdml.training.recipe import Recipe


@dataclass(frozen=True)
class Runnable:
    """A variant with what all its runs have in common."""

    variant: Variant
    recipe: Recipe
    split: dict[str, Any]


@dataclass(frozen=True)
class Choice:
    """What was asked for.

    Attributes:
        experiment: Where the variants come from.
        variants: What is to be run.
        base: The recipe that they change.
        over_own: Recipe keys that stand over the own protocol of a method.
        protocol: Of the scene.
        asked_split: Name of the split that was asked for, if one was.
        usual_split: The split of variants that say nothing of it.
        by_name: Whether the user named the variants: what cannot be run is an error then.
    """

    experiment: Experiment
    variants: Sequence[Variant]
    base: Recipe
    over_own: Mapping[str, Any]
    protocol: Protocol
    asked_split: str | None
    usual_split: dict[str, Any]
    by_name: bool


def runnable(
    choice: Choice, subject: Subject, dataset: str
) -> tuple[tuple[Runnable, ...], tuple[str, ...]]:
    """The variants that can be run, and a sentence for each that is left out.

    Left out are changes of a search that do not go with the scene, and variants whose published
    split is not at hand, unless they were asked for by name.

    Raises:
        PdmlError: If another one cannot be run; it is named.
    """
    recipes = {one.name: _recipe_of(choice, one) for one in choice.variants}
    patch_size = _largest_patch(choice)
    found, notes = [], []
    for variant in choice.variants:
        recipe = recipes[variant.name]
        split = _split_of(choice, variant, patch_size)
        try:
            require_maps(split, dataset)
        except PdmlError as error:
            if choice.by_name:
                raise
            notes.append(f"Left out: {variant.at or variant.name} ({error}).")
            continue
        try:
            _require_trainable(recipe, subject)
        except PdmlError as error:
            if choice.by_name or choice.experiment.judged_by == "test" or variant.name == BASE:
                raise _not_runnable(choice.experiment, variant, error) from error
            notes.append(f"Left out: {variant.name} ({error}).")
            continue
        found.append(Runnable(variant, recipe, split))
    return tuple(found), tuple(dict.fromkeys(notes))


def _recipe_of(choice: Choice, variant: Variant) -> Recipe:
    try:
        if variant.own_protocol:
            return Recipe().changed({**variant.changes, **choice.over_own})
        return choice.base.changed(variant.changes)
    except PdmlError as error:
        raise _not_runnable(choice.experiment, variant, error) from error


def _largest_patch(choice: Choice) -> int:
    """Over all variants of the experiment, so that it does not depend on which are run."""
    sizes = [int(one.changes.get("patch_size", 0)) for one in choice.experiment.variants]
    return max(choice.base.patch_size, *sizes)


def _split_of(choice: Choice, variant: Variant, patch_size: int) -> dict[str, Any]:
    if variant.split is not None:
        return complete_split(variant.split, choice.protocol, patch_size=patch_size)
    if variant.train_share is not None:
        return choice.protocol.asked_split(choice.asked_split, variant.train_share)
    return choice.usual_split


def _require_trainable(recipe: Recipe, subject: Subject) -> None:
    require_patch_size(recipe.patch_size, subject.scene.shape[:2])
    n_classes = require_labels(subject).n_classes
    n_bands = n_inputs(recipe, subject.scene.n_bands)
    require_buildable(model_spec(recipe, n_bands=n_bands, n_classes=n_classes), recipe)


def _not_runnable(experiment: Experiment, variant: Variant, error: PdmlError) -> InvalidInputError:
    return InvalidInputError(
        f"every variant of '{experiment.name}' must be trainable, '{variant.name}' is not: "
        f"{error} (leave it out by naming the others with --variant)"
    )
