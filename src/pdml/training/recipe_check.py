"""What the values of a recipe must be: of their types, within bounds, and not at odds."""

from __future__ import annotations

import dataclasses
import math
import typing
from typing import TYPE_CHECKING, Any, Literal

from pdml.errors import InvalidInputError, unknown_name
from pdml.patches.feature_kind import NO_FEATURES

if TYPE_CHECKING:
    from pdml.training.recipe import Recipe

_POSITIVE = (
    "n_gaussians", "embedding_size", "n_samples", "epochs", "batch_size", "learning_rate",
)  # fmt: skip
_NOT_NEGATIVE = (
    "spectral_noise", "lambda_variance", "lambda_pairs", "lambda_classes", "alpha",
    "n_components", "per_class", "weight_decay", "kernel_l2", "gradient_clip", "illumination",
    "shading", "tilt", "smooth_noise", "lambda_consistency", "least_steps",
)  # fmt: skip
_BELOW_ONE = (
    "dropout", "averaging", "band_dropout", "neighbour_dropout", "feature_dropout",
    "label_smoothing", "warm_up",
)  # fmt: skip
_UP_TO_ONE = ("band_stretch", "same_class_mixing", "border_mixing", "class_balance")
_OF_BANDS = ("band_dropout", "band_stretch", "tilt", "smooth_noise")
"""What has no meaning on principal components."""

_OF_MEASURED = (*_OF_BANDS, "illumination", "shading", "n_components")
"""What has no meaning on features."""


def require_valid(recipe: Recipe) -> None:
    """Refuses values that cannot be.

    Raises:
        UnknownNameError: If a choice does not exist.
        InvalidInputError: If a value is of the wrong type, out of bounds, or at odds with another.
    """
    from pdml.training.recipe import Recipe

    types = typing.get_type_hints(Recipe)
    for entry in dataclasses.fields(recipe):
        _require_type(entry.name, getattr(recipe, entry.name), types[entry.name])
    for name, (holds, what) in _bounds(recipe).items():
        if not holds:
            raise InvalidInputError(f"{name} must be {what}, got {getattr(recipe, name)}")
    _require_consistent(recipe)


def _require_type(name: str, value: Any, expected: Any) -> None:
    choices = typing.get_args(expected)
    if typing.get_origin(expected) is Literal:
        # The type counts as well: 3.0 and True equal 3 and 1 but do not serve as a kernel's size.
        if not any(value == choice and type(value) is type(choice) for choice in choices):
            if isinstance(value, str) and all(isinstance(choice, str) for choice in choices):
                raise unknown_name(f"value of {name}", value, choices)
            allowed = " or ".join(repr(choice) for choice in choices)
            raise InvalidInputError(f"{name} must be {allowed}, got {value!r}")
        return
    kind = typing.get_origin(expected) or expected
    accepted = (int, float) if kind is float else kind
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
        raise InvalidInputError(f"{name} must be of type {kind.__name__}, got {value!r}")
    if kind is float and not math.isfinite(value):
        raise InvalidInputError(f"{name} must be a finite number, got {value}")


def _bounds(recipe: Recipe) -> dict[str, tuple[bool, str]]:
    return {
        "patch_size": (
            recipe.patch_size > 0 and recipe.patch_size % 2 == 1,
            "odd and at least 1, so that a patch has a centre pixel",
        ),
        **{name: (getattr(recipe, name) > 0, "above 0") for name in _POSITIVE},
        **{name: (getattr(recipe, name) >= 0, "0 or more") for name in _NOT_NEGATIVE},
        **{name: (0 <= getattr(recipe, name) < 1, "from 0 to below 1") for name in _BELOW_ONE},
        **{name: (0 <= getattr(recipe, name) <= 1, "from 0 to 1") for name in _UP_TO_ONE},
        "mixup": (
            0 <= recipe.mixup <= 0.5,
            "from 0 to 0.5, so that a patch stays mostly of its class",
        ),
    }


def _require_consistent(recipe: Recipe) -> None:
    if recipe.lambda_consistency > 0 and recipe.averaging == 0:
        raise InvalidInputError(
            "lambda_consistency needs averaged weights as the teacher, got averaging = 0; "
            "set averaging = 0.998, or lambda_consistency = 0"
        )
    if recipe.features == NO_FEATURES and recipe.feature_options:
        raise InvalidInputError(
            f"feature_options need features that they are options of, got {recipe.feature_options} "
            f"with features = '{NO_FEATURES}'; name a kind: `pdml list features` shows them"
        )
    if recipe.features != NO_FEATURES:
        for name in _OF_MEASURED:
            if getattr(recipe, name) > 0:
                raise InvalidInputError(
                    f"{name} is for bands as they were measured, got {name} = "
                    f"{getattr(recipe, name)} with features = '{recipe.features}'; set {name} = 0"
                    f"{', or n_components in feature_options' if name == 'n_components' else ''}"
                )
    if recipe.n_components > 0:
        for name in _OF_BANDS:
            if getattr(recipe, name) > 0:
                raise InvalidInputError(
                    f"{name} changes bands, which principal components do not have, got {name} = "
                    f"{getattr(recipe, name)} with n_components = {recipe.n_components}; "
                    f"set one of the two to 0"
                )
