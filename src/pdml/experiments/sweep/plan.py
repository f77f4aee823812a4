"""What a sweep consists of: its scene and all its jobs, checked before the first one starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pdml
from pdml.errors import InvalidInputError
from pdml.experiments.experiment import Experiment, Variant, experiment_named
from pdml.experiments.plan import requested_recipe
from pdml.experiments.protocol import Protocol, protocol_of
from pdml.experiments.search import left_out, search_note, searched_variants
from pdml.experiments.subject import Subject, require_labels
from pdml.experiments.sweep.fingerprint import fingerprint
from pdml.experiments.sweep.job import FORMAT, Job, Judged
from pdml.experiments.sweep.runnable import Choice, runnable
from pdml.experiments.sweep.scene import sweep_subject
from pdml.scenes.check import check_values
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
        recipe: Name or file of a recipe; that of the experiment, or the paper's for the scene, when
            None.
        settings: Values over the recipe, as text.
        twin: Run on the twin of the dataset.
        variants: Only these; all but the compared methods when empty.
        split: Name of a split, where the experiment leaves the choice; the protocol's when None.
        final: Also score the test pixels of a search.
    """

    experiment: str
    dataset: str
    seeds: tuple[int, ...]
    recipe: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    twin: bool = False
    variants: tuple[str, ...] = ()
    split: str | None = None
    final: bool = False


@dataclass(frozen=True)
class SweepPlan:
    """A sweep that can start.

    Attributes:
        experiment: What is compared.
        subject: The scene.
        jobs: All runs; those with one seed follow each other, so that a sweep that is broken off
            can be compared seed by seed.
        manifest: What all runs of a folder have in common.
        notes: What a user should know before it starts, one sentence each.
    """

    experiment: Experiment
    subject: Subject
    jobs: tuple[Job, ...]
    manifest: dict[str, Any]
    notes: tuple[str, ...] = ()


def plan_sweep(request: SweepRequest) -> SweepPlan:
    """Opens the scene and lists the jobs.

    Raises:
        PdmlError: If something is unknown, missing or does not fit; a variant that cannot be built
            is named.
    """
    experiment = experiment_named(request.experiment)
    protocol = protocol_of(experiment.name, request.dataset)
    judged = _judged(request, experiment)
    recipe_name = request.recipe or experiment.recipe or protocol.recipe
    base = _base_recipe(request, experiment, protocol, recipe_name)
    chosen, notes = _chosen(request, experiment, base)
    usual = _usual_split(request, experiment, protocol)
    subject = sweep_subject(request.dataset, twin=request.twin)
    check_values(subject.scene)
    choice = Choice(
        experiment, chosen, base, over_own=_over_own(request, protocol, base), protocol=protocol,
        asked_split=request.split, usual_split=usual, by_name=bool(request.variants),
    )  # fmt: skip
    found, left = runnable(choice, subject, request.dataset)
    left_out = require_labels(subject).class_names if experiment.leaves_out else (None,)
    data = fingerprint(subject)
    jobs = tuple(
        Job(
            experiment=experiment.name,
            variant=one.variant.name,
            dataset=request.dataset,
            twin=request.twin,
            data=data,
            split=one.split,
            seed=seed,
            recipe=one.recipe,
            judged=judged,
            left_out=class_name,
        )
        for seed in request.seeds
        for class_name in left_out
        for one in found
    )
    manifest = {
        "format": FORMAT,
        "pdml": pdml.__version__,
        "experiment": experiment.name,
        "dataset": request.dataset,
        "twin": request.twin,
        "data": data,
        "split": usual,
        "recipe": base.identity(),
        "recipe_name": Path(recipe_name).stem,
        "recipe_epochs": load_recipe(recipe_name).epochs,
        "settings": dict(request.settings),
    }
    if judged != "test":
        manifest["judged"] = judged
    return SweepPlan(experiment, subject, jobs, manifest, (*notes, *left))


def _judged(request: SweepRequest, experiment: Experiment) -> Judged:
    if experiment.judged_by == "validation":
        return "validation and test" if request.final else "validation"
    if request.final:
        raise InvalidInputError(
            "--final belongs to the search of a recipe (`pdml reproduce recipe`), got it with "
            f"'{experiment.name}', whose scores are of test pixels anyway; leave it out"
        )
    return "test"


def _usual_split(
    request: SweepRequest, experiment: Experiment, protocol: Protocol
) -> dict[str, Any]:
    """The split of variants that say nothing of it."""
    if experiment.judged_by == "validation" and request.split:
        return protocol.chosen_split(request.split)
    if request.split and any(variant.split is not None for variant in experiment.variants):
        raise InvalidInputError(
            f"the experiment '{experiment.name}' has splits of its own, got --split "
            f"{request.split}; leave it out, and choose rows with --variant"
        )
    return protocol.asked_split(request.split, None)


def _chosen(
    request: SweepRequest, experiment: Experiment, base: Recipe
) -> tuple[Sequence[Variant], list[str]]:
    """What is trained, and what a user should know of it."""
    if experiment.judged_by == "test":
        named = [experiment.variant(name) for name in request.variants]
        return named or [one for one in experiment.variants if not one.method], []
    passed_over = {} if request.variants else left_out(experiment, base)
    notes = [f"Left out: {name} ({why})." for name, why in passed_over.items()]
    chosen = searched_variants(experiment, request.variants, base)
    return chosen, [search_note(final=request.final), *notes]


def _over_own(request: SweepRequest, protocol: Protocol, base: Recipe) -> dict[str, Any]:
    """What counts for a method's own protocol too."""
    kept = {key: getattr(base, key) for key in KEPT_IN_OWN if key in request.settings}
    return {**kept, **protocol.changes}


def _base_recipe(
    request: SweepRequest, experiment: Experiment, protocol: Protocol, name: str
) -> Recipe:
    base = requested_recipe(name, request.settings)
    if experiment.recipe:  # what the paper does with a scene belongs to its own recipe
        return base
    own = {key: value for key, value in protocol.changes.items() if key not in request.settings}
    return base.changed(own)
