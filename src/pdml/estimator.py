"""The method behind scikit-learn's interface: for whole scenes, and for single spectra."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import torch
from jaxtyping import Float, Int, Shaped
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from pdml.baselines.learn import learn
from pdml.embeddings.predict import predict_pixels
from pdml.errors import InvalidInputError
from pdml.evaluation.score_map import score_map
from pdml.evaluation.scores import Scores
from pdml.inference.bundle import Bundle, make_bundle
from pdml.inference.class_map import ClassMap
from pdml.inference.fit_uncertainty import fit_uncertainty
from pdml.inference.mapper import map_scene
from pdml.patches.feature_kind import NO_FEATURES
from pdml.patches.source import PatchSource
from pdml.scenes.labels import LabelledPixels, LabelMap
from pdml.scenes.scene import Scene
from pdml.splits.split import Split
from pdml.training.fabric import make_fabric
from pdml.training.history import Row
from pdml.training.inputs import patch_source
from pdml.training.recipe import Recipe, load_recipe

_NO_PIXELS = LabelledPixels(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


class SceneClassifier(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Learns from some pixels of a scene and classifies every pixel of it, or of another one.

    The same as `pdml.patch_source`, `pdml.train`, `pdml.fit_uncertainty`, `pdml.make_bundle` and
    `pdml.map_scene` in a row.

    Args:
        recipe: How to train: a recipe, the name of one that comes with pdml, or a TOML file.
        settings: Values over the recipe: `{"epochs": 10}`.
        device: `"auto"`, `"cpu"`, `"cuda"` or `"mps"`.
        random_state: Of everything random: a seed, a NumPy generator of the old kind, or None.

    Attributes:
        bundle_: The model, to be stored with `pdml.save_bundle`.
        classes_: Names of the classes.
        n_features_in_: Number of bands.
        history_: One row of losses and scores per epoch.
    """

    def __init__(
        self,
        recipe: Recipe | str | Path = "default",
        *,
        settings: Mapping[str, Any] | None = None,
        device: str = "auto",
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.recipe = recipe
        self.settings = settings
        self.device = device
        self.random_state = random_state

    def fit(self, scene: Scene, split: Split | LabelMap) -> Self:
        """Learns.

        Args:
            scene: The scene.
            split: Its split: training pixels are learnt from, validation pixels choose the epoch.
                Of labels that are not split, all pixels are learnt from.

        Raises:
            PdmlError: If scene, split and recipe do not fit together.
        """
        recipe = self.recipe if isinstance(self.recipe, Recipe) else load_recipe(self.recipe)
        recipe = recipe.changed(self.settings or {})
        colours: tuple[str, ...] = ()
        if isinstance(split, LabelMap):
            colours = split.colours
            split = _all_to_train(split)
        self.bundle_, self.history_ = _trained(
            scene, split, recipe, colours=colours, device=self.device, seed=_seed(self.random_state)
        )
        self.classes_ = np.array(split.class_names)
        self.n_features_in_ = scene.n_bands
        return self

    def predict_map(self, scene: Scene) -> ClassMap:
        """Classes, probabilities and uncertainty of every pixel of a scene.

        Raises:
            NotFittedError: If `fit` was not called.
            InvalidInputError: If the scene has other bands than that which was learnt from.
        """
        check_is_fitted(self)
        return map_scene(self.bundle_, scene, device=make_fabric(self.device, "32").device)

    def scores(self, scene: Scene, split: Split | LabelMap) -> Scores:
        """All scores of the test pixels of a split, or of all labelled pixels."""
        if isinstance(split, LabelMap):
            pixels = split.labelled
            split = Split(_NO_PIXELS, _NO_PIXELS, pixels, split.shape, split.class_names)
        return score_map(self.predict_map(scene), split)

    def score(self, scene: Scene, split: Split | LabelMap) -> float:
        """The overall accuracy alone, as scikit-learn wants it; `scores` has the others."""
        return self.scores(scene, split).oa


class SpectralClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # as above
    """Classifies single spectra, given as the rows of a matrix.

    Each spectrum becomes a Gaussian in the embedding space by the same head and the same objective
    as the pixels of a scene, with patches of one pixel. Follows scikit-learn's conventions in
    full: it works in pipelines and searches over parameters.

    Args:
        backbone: Name of a registered backbone. The default takes any number of bands; `"ssrn"`
            needs 7.
        backbone_options: Its own options.
        head: Gaussian embedding (PDML) or point embedding (the plain network).
        embedding_size: Dimension of the Gaussians.
        epochs: Passes over the spectra.
        batch_size: Spectra per step.
        learning_rate: Highest learning rate.
        settings: Further keys of a recipe: `{"lambda_pairs": 0.5}`.
        device: Where it is trained: `"auto"`, `"cpu"`, `"cuda"` or `"mps"`.
        random_state: Of everything random: a seed, a NumPy generator of the old kind, or None.

    Attributes:
        bundle_: The model.
        classes_: The classes, sorted, of the type in which they were given.
        n_features_in_: Number of bands.
        history_: One row of losses per epoch.
    """

    def __init__(
        self,
        *,
        backbone: str = "spectral_mlp",
        backbone_options: Mapping[str, Any] | None = None,
        head: Literal["gaussian", "point"] = "gaussian",
        embedding_size: int = 16,
        epochs: int = 30,
        batch_size: int = 32,
        learning_rate: float = 5e-3,
        settings: Mapping[str, Any] | None = None,
        device: str = "auto",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.backbone = backbone
        self.backbone_options = backbone_options
        self.head = head
        self.embedding_size = embedding_size
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.settings = settings
        self.device = device
        self.random_state = random_state

    def fit(self, X: Float[np.ndarray, "n band"], y: Shaped[np.ndarray, " n"]) -> Self:  # noqa: N803
        """Learns.

        Args:
            X: One spectrum per row.
            y: Its class, of any type that can be sorted.

        Raises:
            ValueError: If the arrays do not fit together, as scikit-learn says it.
            PdmlError: If a parameter is not one that a recipe may have.
        """
        X, y = validate_data(self, X, y)  # noqa: N806 - as scikit-learn calls it
        check_classification_targets(y)
        self.classes_, classes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InvalidInputError(
                f"a classifier needs at least 2 classes, got one class only: '{self.classes_[0]}'"
            )
        pixels = LabelledPixels(np.arange(len(X)), classes.astype(np.int64))
        names = tuple(str(name) for name in self.classes_)
        split = Split(pixels, _NO_PIXELS, _NO_PIXELS, (len(X), 1), names)
        self.bundle_, self.history_ = _trained(
            _as_scene(X),
            split,
            self._recipe(),
            device=self.device,
            seed=_seed(self.random_state),
        )
        return self

    def predict(self, X: Float[np.ndarray, "n band"]) -> Shaped[np.ndarray, " n"]:  # noqa: N803
        """The most probable class of each spectrum."""
        most: Int[np.ndarray, " n"] = self.predict_proba(X).argmax(axis=1)
        predicted: Shaped[np.ndarray, " n"] = self.classes_[most]
        return predicted

    def predict_proba(self, X: Float[np.ndarray, "n band"]) -> Float[np.ndarray, "n class_"]:  # noqa: N803
        """The probability of each class, in the order of `classes_`."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)  # noqa: N806
        source = PatchSource(_as_scene(X), self.bundle_.standardiser, patch_size=1)
        # In double precision what is said of a spectrum does not depend on those beside it. Not
        # every device has it, and single spectra are little work.
        source.table = source.table.double()
        model = copy.deepcopy(self.bundle_.model).cpu().double()
        said = predict_pixels(model, source, torch.arange(len(X)))
        probability: Float[np.ndarray, "n class_"] = said.probability.double().numpy()
        return probability

    def _recipe(self) -> Recipe:
        recipe = Recipe.from_dict(
            {
                "flips": False,
                "head_kernel": 1,
                "classifier": "centre",
                "precision": "32",
                **(self.settings or {}),
                "patch_size": 1,
                "surroundings": "none",
                "backbone": self.backbone,
                "backbone_options": dict(self.backbone_options or {}),
                "head": self.head,
                "embedding_size": self.embedding_size,
                "epochs": self.epochs,
                "batch_size": self.batch_size,
                "learning_rate": self.learning_rate,
            }
        )
        if recipe.features != NO_FEATURES:
            raise InvalidInputError(
                f"single spectra have no scene that features could be computed of, got features = "
                f"'{recipe.features}'; leave features out, or use SceneClassifier"
            )
        return recipe


def _trained(
    scene: Scene,
    split: Split,
    recipe: Recipe,
    *,
    colours: tuple[str, ...] = (),
    device: str,
    seed: int,
) -> tuple[Bundle, list[Row]]:
    fabric = make_fabric(device, "bf16" if recipe.precision == "bf16" else "32")
    source = patch_source(scene, split, recipe, device=fabric.device)
    trained = learn(source, split, recipe, seed=seed, fabric=fabric)
    about = {"scene": scene.name, "seed": seed}
    bundle = make_bundle(
        trained.model,
        source,
        split.class_names,
        colours,
        uncertainty=fit_uncertainty(trained, source, split, surroundings=recipe.surroundings),
        about=about,
    )
    return bundle, trained.history


def _all_to_train(labels: LabelMap) -> Split:
    return Split(labels.labelled, _NO_PIXELS, _NO_PIXELS, labels.shape, labels.class_names)


def _as_scene(spectra: Float[np.ndarray, "n band"]) -> Scene:
    """Spectra as a scene of one column."""
    return Scene.from_array(spectra[:, None, :], name="spectra")


def _seed(random_state: int | np.random.RandomState | None) -> int:
    """A seed is itself, so that it gives what `pdml.train` gives with it."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
