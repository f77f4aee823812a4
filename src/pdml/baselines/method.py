"""`Method`: a system that PDML is compared with, as a declaration of what it changes in a recipe.

A network is trained by the same loop as PDML and mapped by the same code, so there is nothing to
say of it but its inputs, its layers and how its article trains it. A classical method says the
same of its inputs, and brings a `Learner` instead of layers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pdml.baselines.learner import Learner
from pdml.errors import InvalidInputError
from pdml.registry import Registry
from pdml.training.recipe import NETWORK, Recipe

Status = Literal["exact", "reconstruction"]
Changes = Mapping[str, Any]

# What makes a plain network of any recipe: no Gaussians, nothing but the cross-entropy.
PLAIN: Changes = {
    "head": "point",
    "classifier": "pooled",
    "dropout": 0.5,
    "lambda_variance": 0.0,
    "lambda_pairs": 0.0,
}

# What most articles of the field have in common; each method's own protocol stands over it.
USUAL: Changes = {
    "fit_on": "scene",
    "flips": False,
    "reduction": "mean",
    "schedule": "constant",
    "weight_decay": 0.0,
    "averaging": 0.0,
    "precision": "32",
}


@dataclass(frozen=True, kw_only=True)
class Method:
    """What is known of a method.

    Attributes:
        title: What it is, in a few words.
        article: Who published it, where and when.
        status: Whether its layers are those of the article, or a reconstruction.
        ours: In one sentence, what is ours and not the article's.
        column: What the paper calls it in its tables; empty where it does not.
        label: What our tables call it; the paper's name when empty.
        inputs: Recipe keys of what it looks at: patch size, components, features.
    """

    title: str
    article: str
    status: Status
    ours: str
    column: str = ""
    label: str = ""
    inputs: Changes = field(default_factory=dict)

    @property
    def name_in_tables(self) -> str:
        """What our tables call it."""
        return self.label or self.column


@dataclass(frozen=True, kw_only=True)
class NetworkMethod(Method):
    """A network that is trained on the cross-entropy alone, and may be trained as PDML.

    Attributes:
        layers: Recipe keys of the network as published.
        protocol: Recipe keys of the training as in the article.
        under_pdml: Recipe keys of the network that the PDML head can stand on; None if there is
            none.
    """

    layers: Changes
    protocol: Changes
    under_pdml: Changes | None = None

    @property
    def plain(self) -> dict[str, Any]:
        """What the network changes in any recipe."""
        return {**PLAIN, "backbone_options": {}, **self.inputs, **self.layers}

    @property
    def own(self) -> dict[str, Any]:
        """The network with all that its article says of the training."""
        return {**USUAL, **self.plain, **self.protocol}

    @property
    def gaussian(self) -> dict[str, Any] | None:
        """The network under the PDML head, or None."""
        if self.under_pdml is None:
            return None
        return {"backbone_options": {}, **self.inputs, **self.under_pdml}


@dataclass(frozen=True, kw_only=True)
class ClassicalMethod(Method):
    """A classifier of flattened patches without gradients.

    Attributes:
        learner: The classifier, if it is this method that brings it.
        changes: Recipe keys: `learner` and `learner_options`.
    """

    changes: Changes
    learner: type[Learner] | None = None

    @property
    def plain(self) -> dict[str, Any]:
        """What the method changes in any recipe."""
        return {**self.inputs, **self.changes}


METHODS: Registry[Callable[[], Method]] = Registry("method", "pdml.baselines.methods")


def method_named(name: str) -> Method:
    """A declared method.

    Raises:
        UnknownNameError: If there is none; the message names the nearest.
    """
    return METHODS.get(name)()


def learner_named(name: str) -> type[Learner]:
    """The classifier that a classical method brings.

    Raises:
        UnknownNameError: If there is no such method.
        InvalidInputError: If it brings none.
    """
    method = method_named(name)
    if not isinstance(method, ClassicalMethod) or method.learner is None:
        bring = [one for one in METHODS.names() if _learner_of(one) is not None]
        raise InvalidInputError(
            f"learner must be '{NETWORK}' or one of {', '.join(bring)}, got '{name}'; "
            f"a method as a whole is chosen with --method {name}"
        )
    return method.learner


def method_recipe(name: str, base: Recipe | None = None, *, pdml: bool = False) -> Recipe:
    """The recipe that a method is trained with.

    Args:
        name: Name of the method.
        base: Trains every method alike; when None each is trained as its article does.
        pdml: Train the network under the PDML head.

    Raises:
        UnknownNameError: If there is no such method.
        InvalidInputError: If the method cannot take the PDML head.
    """
    method = method_named(name)
    if pdml:
        return _gaussian(name, method, base or Recipe())
    if isinstance(method, NetworkMethod):
        return Recipe().changed(method.own) if base is None else base.changed(method.plain)
    if isinstance(method, ClassicalMethod):
        return (base or Recipe()).changed(method.plain)
    raise InvalidInputError(
        f"the method '{name}' must be a network or a classical method, got {type(method).__name__}"
    )


def _gaussian(name: str, method: Method, base: Recipe) -> Recipe:
    changes = method.gaussian if isinstance(method, NetworkMethod) else None
    if changes is None:
        fitting = [one for one in METHODS.names() if _takes_pdml(method_named(one))]
        raise InvalidInputError(
            f"--pdml needs a network that keeps the pixels of a patch, '{name}' is none; "
            f"those that can are {', '.join(fitting)}"
        )
    if base.head != "gaussian":
        raise InvalidInputError(
            f"--pdml needs a recipe with head = 'gaussian', got '{base.head}'; "
            "leave out --recipe, or name one of PDML such as paper"
        )
    return base.changed(changes)


def _takes_pdml(method: Method) -> bool:
    return isinstance(method, NetworkMethod) and method.under_pdml is not None


def _learner_of(name: str) -> type[Learner] | None:
    method = method_named(name)
    return method.learner if isinstance(method, ClassicalMethod) else None
