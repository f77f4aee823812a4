"""How the paper splits and trains on each of its scenes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pdml.errors import InvalidInputError, unknown_name


@dataclass(frozen=True)
class Protocol:
    """What holds for a scene in every experiment.

    Attributes:
        title: What the scene is called in captions.
        recipe: Name of the recipe that follows the paper.
        strategy: Strategy of the split.
        options: Options of that strategy.
        changes: Recipe keys that are set whatever the recipe.
    """

    title: str
    recipe: str
    strategy: str = "random"
    options: Mapping[str, float | int] = field(default_factory=dict)
    changes: Mapping[str, Any] = field(default_factory=dict)

    def asked_split(self, strategy: str | None, train_share: float | None) -> dict[str, Any]:
        """The split, or the one that was asked for instead of it.

        Raises:
            UnknownNameError: If there is no such split.
            InvalidInputError: If blocks are asked for where the share of pixels is the question.
        """
        if strategy is None:
            return self.split(train_share)
        if strategy != "blocks":
            raise unknown_name("split of a sweep", strategy, ["blocks"])
        if train_share is not None:
            raise InvalidInputError(
                "blocks cannot be cut for a share of the labelled pixels, and this experiment is "
                "about such shares; leave out --split"
            )
        return dict(BLOCKS)

    def split(self, train_share: float | None = None) -> dict[str, Any]:
        """The strategy with its options; drawn at random where the training share is given."""
        if train_share is None:
            return {"strategy": self.strategy, **self.options}
        validation = self.options["validation"]
        return {"strategy": "random", "train": train_share, "validation": validation}

    def chosen_split(self, name: str) -> dict[str, Any]:
        """A split that was asked for by name, with the protocol's shares where it has them.

        Raises:
            UnknownNameError: If it is none of `CHOICES`.
        """
        if name not in CHOICES:
            raise unknown_name("split of an experiment", name, CHOICES)
        return self.split() if name == self.strategy else {"strategy": name, **CHOICES[name]}


CHOICES: dict[str, dict[str, float]] = {
    "random": {"train": 0.2, "validation": 0.1},
    "blocks": {"train": 0.25, "validation": 0.1},
}
"""Splits that can be asked for by name, with their usual shares."""

# Blocks far enough apart for patches of 9 x 9 pixels, whatever a method's own patches are: all
# methods must be compared on the same pixels. The leakage tells of larger patches.
BLOCKS: Mapping[str, Any] = {"strategy": "blocks", "guard_pixels": 9}

# Section "Datasets" of the paper. On Pavia University the validation part is as large as the
# training part, a number of pixels; Houston 2013 has a published split without validation pixels,
# so a tenth of its training pixels validates, and the best epoch on test pixels is noted apart.
PROTOCOLS: dict[str, Protocol] = {
    "indian_pines": Protocol("Indian Pines", "paper", options={"train": 0.2, "validation": 0.1}),
    "pavia_university": Protocol(
        "Pavia University", "paper", options={"train": 0.1, "validation": 4281}
    ),
    "ksc": Protocol("Kennedy Space Center", "paper", options={"train": 0.2, "validation": 0.1}),
    "houston2013": Protocol(
        "Houston 2013",
        "paper-houston",
        strategy="published",
        options={"validation": 0.1},
        changes={"watch_test": True},
    ),
    "synthetic": Protocol("a synthetic scene", "paper", options={"train": 0.2, "validation": 0.1}),
}


def protocol_of(experiment: str, dataset: str) -> Protocol:
    """The protocol of a dataset.

    Raises:
        UnknownNameError: If there is no dataset of that name.
        InvalidInputError: If the paper has no experiment on it.
    """
    from pdml.datasets.card import dataset_names

    if dataset in PROTOCOLS:
        return PROTOCOLS[dataset]
    if dataset not in dataset_names():
        raise unknown_name("dataset", dataset, [*PROTOCOLS, *dataset_names()])
    raise InvalidInputError(
        f"the experiment '{experiment}' exists for the scenes of the paper and a synthetic one "
        f"({', '.join(PROTOCOLS)}), got '{dataset}'; train on others with `pdml train {dataset}`"
    )
