"""What a sweep consists of: its scene and all its jobs, checked before the first one starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pdml
from pdml.errors import InvalidInputError, PdmlError
from pdml.experiments.buildable import require_buildable
from pdml.experiments.experiment import Experiment, Variant, experiment_named
from pdml.experiments.plan import requested_recipe
from pdml.experiments.protocol import Protocol, protocol_of
from pdml.experiments.subject import Subject, require_labels
from pdml.experiments.sweep.fingerprint import fingerprint
from pdml.experiments.sweep.job import FORMAT, Job
from pdml.experiments.sweep.scene import sweep_subject
from pdml.patches.source import require_patch_size
from pdml.scenes.check import check_values
from pdml.training.inputs import model_spec, n_inputs
from pdml.training.recipe import Recipe, load_recipe

KEPT_IN_OWN = ("epochs", "precision")
"""Settings that count for a method's own protocol too: the budget is the same for all."""


@dataclass(frozen=True)
class SweepRequest:
    """What was asked for; it crosses from process to process.

    Attributes:
        experiment: Name of an experiment.
        dataset: Name of a dataset, or `synthetic`.
        seeds: Each variant is run with each of them.
        recipe: Name or file of a recipe; the paper's for the scene when None.
        settings: Values over the recipe, as text.
        twin: Run on the twin of the dataset.
        variants: Only these; all but the compared methods when empty.
        split: `blocks` instead of the paper's split of the scene.
    """

    experiment: str
    dataset: str
    seeds: tuple[int, ...]
    recipe: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    twin: bool = False
    variants: tuple[str, ...] = ()
    split: str | None = None


@dataclass(frozen=True)
class SweepPlan:
    """A sweep that can start.

    Attributes:
        experiment: What is compared.
        subject: The scene.
        jobs: All runs; those with one seed follow each other, so that a sweep that is broken off
            can be compared seed by seed.
        manifest: What all runs of a folder have in common.
    """

    experiment: Experiment
    subject: Subject
    jobs: tuple[Job, ...]
    manifest: dict[str, Any]


def plan_sweep(request: SweepRequest) -> SweepPlan:
    """Opens the scene and lists the jobs.

    Raises:
        PdmlError: If something is unknown, missing or does not fit; a variant that cannot be built
            is named.
    """
    experiment = experiment_named(request.experiment)
    protocol = protocol_of(experiment.name, request.dataset)
    chosen = [experiment.variant(name) for name in request.variants] or [
        variant for variant in experiment.variants if not variant.method
    ]
    recipe_name = request.recipe or protocol.recipe
    base = _base_recipe(request, protocol, recipe_name)
    over_own = {key: getattr(base, key) for key in KEPT_IN_OWN if key in request.settings}
    over_own |= protocol.changes
    recipes = {variant.name: _recipe_of(experiment, variant, base, over_own) for variant in chosen}
    subject = sweep_subject(request.dataset, twin=request.twin)
    check_values(subject.scene)
    labels = require_labels(subject)
    for variant in chosen:
        _require_runnable(experiment, variant, recipes[variant.name], subject, labels.n_classes)
    data = fingerprint(subject)
    jobs = tuple(
        Job(
            experiment=experiment.name,
            variant=variant.name,
            dataset=request.dataset,
            twin=request.twin,
            data=data,
            split=protocol.asked_split(request.split, variant.train_share),
            seed=seed,
            recipe=recipes[variant.name],
            left_out=left_out,
        )
        for seed in request.seeds
        for left_out in (labels.class_names if experiment.leaves_out else (None,))
        for variant in chosen
    )
    manifest = {
        "format": FORMAT,
        "pdml": pdml.__version__,
        "experiment": experiment.name,
        "dataset": request.dataset,
        "twin": request.twin,
        "data": data,
        "split": protocol.asked_split(request.split, None),
        "recipe": base.identity(),
        "recipe_name": Path(recipe_name).stem,
        "recipe_epochs": load_recipe(recipe_name).epochs,
        "settings": dict(request.settings),
    }
    return SweepPlan(experiment, subject, jobs, manifest)


def _base_recipe(request: SweepRequest, protocol: Protocol, name: str) -> Recipe:
    base = requested_recipe(name, request.settings)
    own = {key: value for key, value in protocol.changes.items() if key not in request.settings}
    return base.changed(own)


def _recipe_of(
    experiment: Experiment, variant: Variant, base: Recipe, over_own: Mapping[str, Any]
) -> Recipe:
    try:
        if variant.own_protocol:
            return Recipe().changed({**variant.changes, **over_own})
        return base.changed(variant.changes)
    except PdmlError as error:
        raise _not_runnable(experiment, variant, error) from error


def _require_runnable(
    experiment: Experiment, variant: Variant, recipe: Recipe, subject: Subject, n_classes: int
) -> None:
    try:
        require_patch_size(recipe.patch_size, subject.scene.shape[:2])
        spec = model_spec(
            recipe, n_bands=n_inputs(recipe, subject.scene.n_bands), n_classes=n_classes
        )
        require_buildable(spec, recipe)
    except PdmlError as error:
        raise _not_runnable(experiment, variant, error) from error


def _not_runnable(experiment: Experiment, variant: Variant, error: PdmlError) -> InvalidInputError:
    return InvalidInputError(
        f"every variant of '{experiment.name}' must be trainable, '{variant.name}' is not: "
        f"{error} (leave it out by naming the others with --variant)"
    )
