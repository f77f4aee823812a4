"""`Experiment`: a table or figure as a declaration: what it trains, compares and claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pdml.errors import UnknownNameError, unknown_name
from pdml.registry import Registry

Shows = Literal[
    "methods", "variants", "curve", "time", "maps", "embedding", "unknown", "search", "splits"
]
Keeps = Literal["map", "embedding"]
Judge = Literal["test", "validation"]


@dataclass(frozen=True)
class Variant:
    """One row of a table or one point of a figure: a way to train.

    Attributes:
        name: As the paper calls it.
        changes: Recipe keys that differ from the recipe of the whole experiment.
        train_share: Share of all labelled pixels that trains, drawn at random, where the experiment
            is about it; the split of the protocol when None.
        split: Strategy and options of a split of its own, where the experiment compares splits.
        series: The line of a figure, or row of a table, that it belongs to.
        at: Where it stands on the horizontal axis, or in which column.
        method: The method that it is, if it is one of those that are run only when asked for.
        quoted: The paper's name of the row, where it is another.
        own_protocol: Whether the changes are a whole recipe, and only the number of epochs is taken
            from what was asked for.
    """

    name: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    train_share: float | None = None
    split: Mapping[str, Any] | None = None
    series: str = ""
    at: str = ""
    method: str = ""
    quoted: str = ""
    own_protocol: bool = False

    @property
    def quoted_name(self) -> str:
        """The paper's name of the row; empty if it has none for a method."""
        return self.quoted if self.method else self.quoted or self.name


@dataclass(frozen=True)
class Claim:
    """The paper, or we, say that one variant is better than another."""

    better: str
    worse: str


@dataclass(frozen=True)
class Experiment:
    """A table or figure, of the paper or our own.

    Attributes:
        name: The name under which it is registered.
        title: What is compared, for captions.
        source: The paper's label of the table or figure; empty for our own.
        variants: What is trained, in the order of the rows.
        claims: What the paper says about the variants.
        shows: How it is rendered: methods side by side with all classes, variants below each
            other, points of a curve, seconds, maps, embeddings, how unknown material is found,
            changes to a recipe, or methods by splits.
        axis: Title of the horizontal axis of a curve.
        keeps: What a run keeps beside its scores and test predictions.
        leaves_out: Whether each run knows nothing of one class, every class in turn.
        recipe: Name of the recipe; that of the scene's protocol when empty.
        judged_by: The pixels that runs are scored on. What is chosen by its scores is judged by
            validation pixels; test pixels are then scored only when that is asked for.
    """

    name: str
    title: str
    source: str
    variants: tuple[Variant, ...]
    claims: tuple[Claim, ...] = ()
    shows: Shows = "variants"
    axis: str = ""
    keeps: Keeps | None = None
    leaves_out: bool = False
    recipe: str = ""
    judged_by: Judge = "test"

    def variant(self, name: str) -> Variant:
        """A variant by its name.

        Raises:
            UnknownNameError: If there is none; the message names the nearest.
        """
        for one in self.variants:
            if one.name == name:
                return one
        raise unknown_name(f"variant of '{self.name}'", name, [v.name for v in self.variants])


EXPERIMENTS: Registry[Callable[[], Experiment]] = Registry(
    "experiment", "pdml.experiments.paper", "pdml.experiments.own"
)


def experiment_named(name: str) -> Experiment:
    """A declared experiment.

    Raises:
        UnknownNameError: If there is none; the message lists all of them.
    """
    if name not in (known := EXPERIMENTS.names()):
        raise UnknownNameError(f"unknown experiment '{name}'; there are: {', '.join(known)}")
    return EXPERIMENTS.get(name)()
