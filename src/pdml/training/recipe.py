"""`Recipe`: every choice that shapes a training run, as one frozen value that is a TOML file."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pdml.errors import MissingFileError, UnreadableFileError, unknown_name
from pdml.training.recipe_check import require_valid
from pdml.training.toml_text import to_toml

INGREDIENTS = (
    "features", "feature_options",
    "band_dropout", "band_stretch", "illumination", "shading", "tilt", "smooth_noise",
    "same_class_mixing", "mixup", "border_mixing", "neighbour_dropout", "known_neighbours",
    "classifier_form", "feature_dropout", "average_symmetries", "label_smoothing", "class_balance",
    "lambda_consistency", "unlabelled", "least_steps", "most_steps", "warm_up", "lambda_kl",
    "classify_samples", "learner", "learner_options", "surroundings",
)  # fmt: skip
"""Keys whose default is to do nothing; a recipe with all of them off is one without them."""

OF_CLASSICAL = (
    "patch_size", "border", "fit_on", "n_components", "features", "feature_options", "learner",
    "learner_options", "surroundings",
)  # fmt: skip
"""Keys that count for a classical method."""

NETWORK = "network"
"""The learner of a recipe that is not a classical one."""


@dataclass(frozen=True)
class Recipe:
    """How a model is built and trained.

    The defaults are those of `recipes/default.toml`, with all ingredients off.

    Attributes:
        patch_size: Side of a patch in pixels, odd.
        border: What lies outside the scene: the mean spectrum or a reflection.
        fit_on: Standardise bands over the whole scene, as the paper does, or training pixels only.
        n_components: Principal components that stand for the bands; 0 leaves the bands.
        features: What is computed of the whole scene and stands for its bands: a registered kind of
            features, or `bands` for nothing.
        feature_options: Options of these features.
        flips: Turn and mirror training patches at random.
        spectral_noise: Standard deviation of noise added to standardised training spectra.
        band_dropout: Share of the bands that a training patch loses, drawn one by one.
        band_stretch: Longest stretch of neighbouring bands that a training patch loses, as a share
            of all bands.
        illumination: Standard deviation of a training patch's brightness, as a share of it.
        shading: Standard deviation of the brightness of single pixels.
        tilt: Standard deviation of a change of brightness that grows from the middle band to the
            first and last ones, with opposite signs.
        smooth_noise: Standard deviation of a slow random curve added to the spectra of a patch.
        same_class_mixing: Largest share of another patch of the same class in a training patch.
        mixup: Largest share of any other patch, whose class gets that share too; at most 0.5.
        border_mixing: Share of the training patches whose far side is replaced by another patch's.
        neighbour_dropout: Share of the pixels around the centre that a training patch loses.
        known_neighbours: Pixels around the centre that training labels know to be of another class
            count as the centre's, are left out of the metric loss, keep their own class in it, or
            are hidden from the network as well.
        learner: What learns: the `network`, or the classifier of a classical method, such as `svm`,
            for which only keys of inputs and of the learner count.
        learner_options: Options of that classifier.
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
        classifier_form: A linear map, or a comparison with prototypes of the classes: by angle, by
            distance, or by distance to the running means of the classes, which are not learnt.
        feature_dropout: Dropout of the means before any classifier.
        average_symmetries: Average predictions over the 8 turns and reflections of a patch.
        surroundings: Let the probabilities of a pixel flow between it and neighbours with like
            spectra, as far as it helps on validation pixels; or leave every pixel to its own patch.
        lambda_variance: Weight of the lap-variance term (lambda_1).
        lambda_pairs: Weight of the probabilistic contrastive loss (lambda_2).
        lambda_classes: Weight of the cross-entropy (lambda_3).
        lambda_kl: Weight of the divergence of all Gaussians from a unit Gaussian, which keeps
            variances from vanishing.
        classify_samples: Samples per pixel that the cross-entropy sees instead of the mean, so that
            mistakes have a say in the variance; 0 for the mean.
        n_samples: Monte-Carlo samples per pixel (K).
        alpha: Margin between the variances of neighbouring laps.
        lap_form: Bounded (`hinge`, `log`) or literal (`paper`) lap-variance term.
        reduction: Sums as in the paper, or means.
        metric: Name of a registered metric loss.
        metric_options: Options of that loss.
        embed_with: Whether the metric loss sees samples or means.
        label_smoothing: Share of each label that is spread over all classes in the cross-entropy.
        class_balance: Classes count in the cross-entropy by the inverse of their pixels to this
            power: 0 for pixels alike, 1 for classes alike.
        lambda_consistency: Weight of the squared difference between what the network and its
            averaged weights say of pixels without a label.
        unlabelled: Which pixels these are: none near a test pixel, or all of the scene.
        epochs: Passes over the training pixels.
        least_steps: With fewer steps than these, an epoch is several passes; 0 for always one.
        most_steps: With more steps than these, an epoch is a part of a pass, drawn anew each time;
            0 for always a whole one.
        batch_size: Patches per step.
        per_class: Patches per class in a batch, which is smaller where there are too few classes;
            0 draws batches from all pixels alike.
        optimiser: RMSProp with TensorFlow's constants, AdamW, or SGD with momentum.
        learning_rate: Highest learning rate.
        schedule: Constant, one cycle up to the learning rate and down to nothing, or the way down
            alone.
        warm_up: Share of the run over which the learning rate rises from nothing, before and apart
            from the schedule.
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
    features: str = "bands"
    feature_options: dict[str, Any] = field(default_factory=dict)
    flips: bool = True
    spectral_noise: float = 0.0
    band_dropout: float = 0.0
    band_stretch: float = 0.0
    illumination: float = 0.0
    shading: float = 0.0
    tilt: float = 0.0
    smooth_noise: float = 0.0
    same_class_mixing: float = 0.0
    mixup: float = 0.0
    border_mixing: float = 0.0
    neighbour_dropout: float = 0.0
    known_neighbours: Literal["as_centre", "left_out", "own_class", "hidden"] = "as_centre"

    learner: str = NETWORK
    learner_options: dict[str, Any] = field(default_factory=dict)

    backbone: str = "ssrn"
    backbone_options: dict[str, Any] = field(default_factory=dict)
    attention: str = "none"
    head: Literal["gaussian", "point"] = "gaussian"
    n_gaussians: int = 1
    embedding_size: int = 64
    head_kernel: Literal[1, 3] = 3
    classifier: Literal["centre", "map", "pooled"] = "pooled"
    dropout: float = 0.5
    classifier_form: Literal["linear", "cosine", "distance", "class_mean"] = "linear"
    feature_dropout: float = 0.0
    average_symmetries: bool = False
    surroundings: Literal["none", "auto"] = "none"

    lambda_variance: float = 1.0
    lambda_pairs: float = 1.0
    lambda_classes: float = 1.0
    lambda_kl: float = 0.0
    classify_samples: int = 0
    n_samples: int = 3
    alpha: float = 0.2
    lap_form: Literal["hinge", "log", "paper"] = "hinge"
    reduction: Literal["mean", "paper"] = "mean"
    metric: str = "probabilistic_contrastive"
    metric_options: dict[str, Any] = field(default_factory=dict)
    embed_with: Literal["samples", "mean"] = "samples"
    label_smoothing: float = 0.0
    class_balance: float = 0.0
    lambda_consistency: float = 0.0
    unlabelled: Literal["outside_test", "scene"] = "outside_test"

    epochs: int = 40
    least_steps: int = 0
    most_steps: int = 0
    batch_size: int = 32
    per_class: int = 0
    optimiser: Literal["rmsprop", "adamw", "sgd"] = "adamw"
    learning_rate: float = 2e-3
    schedule: Literal["constant", "one_cycle", "cosine"] = "one_cycle"
    warm_up: float = 0.0
    weight_decay: float = 0.01
    kernel_l2: float = 0.0
    gradient_clip: float = 0.0
    averaging: float = 0.998
    select: Literal["best", "last"] = "best"
    watch_test: bool = False
    precision: Literal["32", "bf16", "auto"] = "auto"

    def __post_init__(self) -> None:
        require_valid(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Recipe:
        """A recipe from plain values; what is not named keeps its default.

        Raises:
            UnknownNameError: If a key is not one of a recipe's.
            InvalidInputError: If a value is of the wrong type, out of bounds, or at odds with
                another.
        """
        known = [entry.name for entry in dataclasses.fields(cls)]
        for key in values:
            if key not in known:
                raise unknown_name("recipe key", key, known)
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, complete, in the order of the class."""
        return dataclasses.asdict(self)

    def that_count(self) -> dict[str, Any]:
        """Plain values of the keys that the result depends on, by what learns."""
        values = self.to_dict()
        if self.learner == NETWORK:
            return values
        return {name: values[name] for name in OF_CLASSICAL if name in values}

    def identity(self) -> dict[str, Any]:
        """What tells recipes apart: all values, but for those of ingredients that are off.

        So a recipe stays the same one when another ingredient comes to exist.
        """
        off = Recipe().to_dict()
        return {
            name: value
            for name, value in self.to_dict().items()
            if name not in INGREDIENTS or value != off[name]
        }

    def changed(self, changes: Mapping[str, Any]) -> Recipe:
        """The recipe with some values replaced, checked like any other."""
        return Recipe.from_dict({**self.to_dict(), **changes})

    def to_toml(self) -> str:
        """The recipe as a TOML file that reads back to an equal recipe."""
        return to_toml(self.to_dict())


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
