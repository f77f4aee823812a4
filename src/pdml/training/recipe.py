"""`Recipe`: every choice that shapes a training run, as one frozen value that is a TOML file."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import tomllib
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pdml.errors import InvalidInputError, MissingFileError, UnreadableFileError, unknown_name


@dataclass(frozen=True)
class Recipe:
    """How a model is built and trained. The defaults are those of `recipes/default.toml`.

    Attributes:
        patch_size: Side of a patch in pixels, odd.
        border: What lies outside the scene: the mean spectrum or a reflection.
        fit_on: Standardise bands over the whole scene, as the paper does, or training pixels only.
        n_components: Principal components that stand for the bands; 0 leaves the bands.
        flips: Turn and mirror training patches at random.
        spectral_noise: Standard deviation of noise added to standardised training spectra.
        backbone: Name of a registered backbone.
        backbone_options: Options of that backbone.
        attention: Name of a registered attention module that follows the backbone, or `none`.
        head: Gaussian embedding (PDML) or point embedding (the plain network).
        n_gaussians: Gaussians per pixel, equally likely; 1 in all but one table of the paper.
        embedding_size: Dimension r of the Gaussians.
        head_kernel: Kernel of the head's two convolutions.
        classifier: What the classifier sees: the centre's mean, the whole mean matrix, or the
            average over the patch.
        dropout: Dropout before the pooled classifier.
        lambda_variance: Weight of the lap-variance term (lambda_1).
        lambda_pairs: Weight of the probabilistic contrastive loss (lambda_2).
        lambda_classes: Weight of the cross-entropy (lambda_3).
        n_samples: Monte-Carlo samples per pixel (K).
        alpha: Margin between the variances of neighbouring laps.
        lap_form: Bounded (`hinge`, `log`) or literal (`paper`) lap-variance term.
        reduction: Sums as in the paper, or means.
        metric: Name of a registered metric loss.
        metric_options: Options of that loss.
        embed_with: Whether the metric loss sees samples or means.
        epochs: Passes over the training pixels.
        batch_size: Patches per step.
        per_class: Patches per class in a batch; 0 draws batches from all pixels alike.
        optimiser: RMSProp with TensorFlow's constants, AdamW, or SGD with momentum.
        learning_rate: Highest learning rate.
        schedule: Constant, or one cycle up to the learning rate and down to nothing.
        weight_decay: Decay of weights, apart from the gradient with AdamW, added to it with the
            others; biases and normalisation are spared.
        kernel_l2: Factor of the sum of squared convolution weights that is added to the loss.
        gradient_clip: Largest norm of a gradient; 0 for none.
        averaging: Decay of the running average of weights that is evaluated; 0 for none.
        select: Keep the weights of the best epoch on validation pixels, or of the last.
        watch_test: Also note the best test score of any epoch, reported apart and never chosen by.
        precision: 32-bit floats, bfloat16 in the network, or whichever is faster here.
    """

    patch_size: int = 5
    border: Literal["zero", "reflect"] = "zero"
    fit_on: Literal["scene", "train"] = "train"
    n_components: int = 0
    flips: bool = True
    spectral_noise: float = 0.0

    backbone: str = "ssrn"
    backbone_options: dict[str, Any] = field(default_factory=dict)
    attention: str = "none"
    head: Literal["gaussian", "point"] = "gaussian"
    n_gaussians: int = 1
    embedding_size: int = 64
    head_kernel: Literal[1, 3] = 3
    classifier: Literal["centre", "map", "pooled"] = "map"
    dropout: float = 0.5

    lambda_variance: float = 1.0
    lambda_pairs: float = 1.0
    lambda_classes: float = 1.0
    n_samples: int = 3
    alpha: float = 0.2
    lap_form: Literal["hinge", "log", "paper"] = "hinge"
    reduction: Literal["mean", "paper"] = "mean"
    metric: str = "probabilistic_contrastive"
    metric_options: dict[str, Any] = field(default_factory=dict)
    embed_with: Literal["samples", "mean"] = "samples"

    epochs: int = 40
    batch_size: int = 32
    per_class: int = 0
    optimiser: Literal["rmsprop", "adamw", "sgd"] = "adamw"
    learning_rate: float = 2e-3
    schedule: Literal["constant", "one_cycle"] = "one_cycle"
    weight_decay: float = 0.01
    kernel_l2: float = 0.0
    gradient_clip: float = 0.0
    averaging: float = 0.998
    select: Literal["best", "last"] = "best"
    watch_test: bool = False
    precision: Literal["32", "bf16", "auto"] = "auto"

    def __post_init__(self) -> None:
        types = typing.get_type_hints(Recipe)
        for entry in dataclasses.fields(self):
            _check_type(entry.name, getattr(self, entry.name), types[entry.name])
        for name, (holds, what) in _bounds(self).items():
            if not holds:
                raise InvalidInputError(f"{name} must be {what}, got {getattr(self, name)}")

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Recipe:
        """A recipe from plain values; what is not named keeps its default.

        Raises:
            UnknownNameError: If a key is not one of a recipe's.
            InvalidInputError: If a value is of the wrong type or out of bounds.
        """
        known = [entry.name for entry in dataclasses.fields(cls)]
        for key in values:
            if key not in known:
                raise unknown_name("recipe key", key, known)
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, complete, in the order of the class."""
        return dataclasses.asdict(self)

    def changed(self, changes: Mapping[str, Any]) -> Recipe:
        """The recipe with some values replaced, checked like any other."""
        return Recipe.from_dict({**self.to_dict(), **changes})

    def to_toml(self) -> str:
        """The recipe as a TOML file that reads back to an equal recipe."""
        lines = [f"{key} = {_toml_value(value)}" for key, value in self.to_dict().items()]
        return "\n".join(lines) + "\n"


def load_recipe(name_or_path: str | Path) -> Recipe:
    """Reads a recipe by the name of one that comes with pdml (`paper`) or from a TOML file.

    Raises:
        MissingFileError: If a path does not exist.
        UnknownNameError: If no recipe of that name comes with pdml.
        UnreadableFileError: If the file is not TOML.
    """
    path = Path(name_or_path)
    if path.suffix != ".toml":
        known = {file.stem: file for file in sorted(_recipe_folder().glob("*.toml"))}
        if str(name_or_path) not in known:
            raise unknown_name("recipe", str(name_or_path), known)
        path = known[str(name_or_path)]
    if not path.is_file():
        raise MissingFileError(f"there is no recipe file {path}; `pdml list recipes` shows names")
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnreadableFileError(f"{path} must be a TOML file: {error}") from error
    return Recipe.from_dict(values)


def recipe_names() -> list[str]:
    """Names of the recipes that come with pdml."""
    return sorted(file.stem for file in _recipe_folder().glob("*.toml"))


def parse_value(key: str, text: str) -> Any:
    """The value that `key=text` means on the command line: TOML where it parses, else a string.

    Raises:
        UnknownNameError: If the key is not one of a recipe's.
    """
    known = [entry.name for entry in dataclasses.fields(Recipe)]
    if key not in known:
        raise unknown_name("recipe key", key, known)
    if key == "precision":
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _recipe_folder() -> Path:
    """Inside the package when installed, at the root of the repository when developing."""
    package = Path(__file__).parents[1]
    installed = package / "recipes"
    return installed if installed.is_dir() else package.parents[1] / "recipes"


def _check_type(name: str, value: Any, expected: Any) -> None:
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
    positive = (
        "n_gaussians",
        "embedding_size",
        "n_samples",
        "epochs",
        "batch_size",
        "learning_rate",
    )
    not_negative = (
        "spectral_noise", "lambda_variance", "lambda_pairs", "lambda_classes", "alpha",
        "n_components", "per_class", "weight_decay", "kernel_l2", "gradient_clip",
    )  # fmt: skip
    return {
        "patch_size": (
            recipe.patch_size > 0 and recipe.patch_size % 2 == 1,
            "odd and at least 1, so that a patch has a centre pixel",
        ),
        **{name: (getattr(recipe, name) > 0, "above 0") for name in positive},
        **{name: (getattr(recipe, name) >= 0, "0 or more") for name in not_negative},
        "dropout": (0 <= recipe.dropout < 1, "from 0 to below 1"),
        "averaging": (0 <= recipe.averaging < 1, "from 0 to below 1"),
    }


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        inside = ", ".join(f"{_toml_key(key)} = {_toml_value(each)}" for key, each in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml_value, value))}]"
    return _quoted(value) if isinstance(value, str) else repr(value)


def _toml_key(key: str) -> str:
    return key if re.fullmatch("[A-Za-z0-9_-]+", key) else _quoted(key)


def _quoted(text: str) -> str:
    # A JSON string is a TOML string, but for the control character that JSON leaves as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
