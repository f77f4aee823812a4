"""The split of a run: what a declaration says of it, made complete; then its pixels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pdml.datasets.card import dataset_card, dataset_names
from pdml.datasets.published_split import load_published_split
from pdml.errors import InvalidInputError
from pdml.experiments.protocol import Protocol
from pdml.experiments.split_request import SplitRequest, requested_split
from pdml.experiments.subject import Subject
from pdml.experiments.sweep.job import Job
from pdml.scenes.labels import LabelMap
from pdml.splits.split import Split
from pdml.splits.strategies import make_split


def complete_split(
    declared: Mapping[str, Any], protocol: Protocol, *, patch_size: int
) -> dict[str, Any]:
    """A declared split with all that its pixels depend on, but for the seed.

    All variants of an experiment have the same pixels, so distances follow the largest patch of
    any of them and not that of each.

    Args:
        declared: Strategy and options.
        protocol: Has the shares of the scene.
        patch_size: The largest of the experiment.
    """
    match declared["strategy"]:
        case "random":
            return {**protocol.chosen_split("random"), **declared}
        case "blocks":
            usual = protocol.chosen_split("blocks")
            return {**usual, "guard_pixels": patch_size, **declared}
        case "published" if declared.get("validation", 0) > 0:
            # No validation pixel has a training pixel in its own patch.
            return {"guard_pixels": patch_size // 2 + 1, **declared}
    return dict(declared)


def require_maps(split: Mapping[str, Any], dataset: str) -> None:
    """Checks that the maps of a published split are there.

    Raises:
        PdmlError: If they are not; the message says where they are looked for.
    """
    if "map" in split:
        _maps(dataset, split["map"])


def split_of(job: Job, subject: Subject) -> Split:
    """The pixels of a run."""
    options = {name: value for name, value in job.split.items() if name != "strategy"}
    if (name := options.pop("map", None)) is None:
        request = SplitRequest(strategy=job.split["strategy"], options=options)
        return requested_split(request, subject, patch_size=job.recipe.patch_size, seed=job.seed)
    train, test = _maps(job.dataset, name)
    return make_split(train, "published", test_labels=test, options={**options, "seed": job.seed})


def _maps(dataset: str, name: str) -> tuple[LabelMap, LabelMap]:
    if dataset not in dataset_names() or not (card := dataset_card(dataset)).splits:
        raise InvalidInputError(f"nobody published a split '{name}' of '{dataset}' that pdml knows")
    return load_published_split(card, name)
