"""What pdml offers by name, each with the first sentence of the file that defines it."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import TypeVar

from pdml.baselines.method import METHODS, Method, method_named
from pdml.datasets.card import DATASETS
from pdml.embeddings.attention import ATTENTIONS
from pdml.embeddings.backbone import BACKBONES
from pdml.errors import unknown_name
from pdml.experiments.experiment import EXPERIMENTS
from pdml.losses.metric_loss import METRIC_LOSSES
from pdml.patches.feature_kind import FEATURES
from pdml.registry import Registry
from pdml.scenes.reader import READERS
from pdml.splits.strategies import STRATEGIES
from pdml.training.recipe import Recipe, load_recipe, recipe_names

Thing = TypeVar("Thing", bound=Callable[..., object])


def catalogue(kind: str) -> dict[str, str]:
    """Names of one kind with what stands behind them, in one sentence each.

    Args:
        kind: One of `CATALOGUES`.

    Raises:
        UnknownNameError: If there is no such kind.
    """
    if kind not in CATALOGUES:
        raise unknown_name("list", kind, CATALOGUES)
    return CATALOGUES[kind]()


def _registered(registry: Registry[Thing]) -> dict[str, str]:
    return {name: _sentence_about(registry.get(name)) for name in registry.names()}


def _sentence_about(thing: Callable[..., object]) -> str:
    module: ModuleType = importlib.import_module(thing.__module__)
    return first_sentence(inspect.getdoc(module) or "")


def first_sentence(text: str) -> str:
    """The first sentence of a docstring, in one line and without its full stop."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    for position, letter in enumerate(paragraph):
        rest = paragraph[position + 1 :]
        # A sentence ends before a capital letter; "et al. (2018)" and "v1.2" go on.
        if letter == "." and (not rest or (rest[0] == " " and rest[1:2].isupper())):
            return paragraph[:position]
    return paragraph


def _recipe_in_words(recipe: Recipe) -> str:
    loss = recipe.metric if recipe.lambda_pairs > 0 else "cross-entropy alone"
    return (
        f"{recipe.epochs} epochs of {recipe.optimiser} up to {recipe.learning_rate:g}, batches of "
        f"{recipe.batch_size}, {recipe.patch_size} x {recipe.patch_size} patches, "
        f"{recipe.backbone}, {loss}"
    )


def _method_in_words(method: Method) -> str:
    return f"{method.status}: {method.title}; ours: {method.ours}"


CATALOGUES: dict[str, Callable[[], dict[str, str]]] = {
    "backbones": lambda: _registered(BACKBONES),
    "attention": lambda: _registered(ATTENTIONS),
    "features": lambda: _registered(FEATURES),
    "losses": lambda: _registered(METRIC_LOSSES),
    "methods": lambda: {name: _method_in_words(method_named(name)) for name in METHODS.names()},
    "datasets": lambda: _registered(DATASETS),
    "experiments": lambda: _registered(EXPERIMENTS),
    "readers": lambda: _registered(READERS),
    "recipes": lambda: {name: _recipe_in_words(load_recipe(name)) for name in recipe_names()},
    "splits": lambda: {name: _sentence_about(split) for name, split in STRATEGIES.items()},
}
