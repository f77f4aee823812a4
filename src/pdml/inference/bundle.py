"""A trained model on disk: weights as safetensors, everything else as JSON beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pdml
from pdml.atomic import write_text
from pdml.baselines.classical_model import ClassicalModel, ClassicalSpec
from pdml.embeddings.model import Model, ModelSpec
from pdml.embeddings.patch_model import PatchModel, require_bands
from pdml.errors import MissingFileError, PdmlError, UnreadableFileError
from pdml.inference.uncertainty import Uncertainty
from pdml.patches.fitted_features import FittedFeatures
from pdml.patches.normalise import Standardiser
from pdml.patches.source import PatchSource, require_patch_size
from pdml.scenes.expected import Expected
from pdml.scenes.scene import Scene
from pdml.training.checkpoint import load_tensors, save_tensors

WEIGHTS = "model.safetensors"
DESCRIPTION = "model.json"
OF_UNCERTAINTY = "uncertainty/"


@dataclass(frozen=True)
class Bundle:
    """A model with all that is needed to use it on a scene.

    Attributes:
        model: The network, or what stands for one, in evaluation mode.
        standardiser: What the bands of a scene are standardised with.
        border: What lies outside a scene.
        class_names: Names of the classes.
        colours: Their colours, or empty.
        about: Where it comes from: scene, seed, version.
        features: What of a scene the model sees instead of its bands, if it does.
        uncertainty: What its doubts mean.
        expected: The bands of the scenes that it maps, and what else it expects of them; None if
            nothing is known beyond their number.
    """

    model: PatchModel
    standardiser: Standardiser
    border: str
    class_names: tuple[str, ...]
    colours: tuple[str, ...]
    about: dict[str, Any]
    features: FittedFeatures | None = None
    expected: Expected | None = None
    uncertainty: Uncertainty = field(default_factory=Uncertainty)

    @property
    def halo_pixels(self) -> int:
        """Rows and columns beyond a pixel that have a say in what its map shows."""
        return self.model.spec.patch_size // 2 + self.uncertainty.reach

    def fitted(self, scene: Scene) -> Scene:
        """A scene brought to the bands of the model.

        Raises:
            InvalidInputError: If it has not those bands, or is smaller than a patch.
            MissingExtraError: If what computes the model's features is not installed.
        """
        if self.expected is not None:
            scene = self.expected.found_in(scene)
        if self.features is None:
            require_bands(self.model, scene.n_bands)
        else:
            self.features.require_fit(scene)
        require_patch_size(self.model.spec.patch_size, scene.shape[:2])
        return scene

    def seen(self, scene: Scene) -> Scene:
        """A scene as the model sees it: itself, or its features."""
        return scene if self.features is None else self.features.apply(scene)


def make_bundle(
    model: PatchModel,
    source: PatchSource,
    class_names: Sequence[str],
    colours: Sequence[str] = (),
    *,
    uncertainty: Uncertainty | None = None,
    about: dict[str, Any] | None = None,
) -> Bundle:
    """A trained model with the way in which its patches were made and what its doubts mean."""
    return Bundle(
        model,
        source.standardiser,
        source.border,
        tuple(class_names),
        tuple(colours),
        about or {},
        source.features,
        source.expected,
        uncertainty or Uncertainty(),
    )


def save_bundle(folder: Path, bundle: Bundle) -> None:
    """Writes a model into a folder.

    Raises:
        StorageError: If it cannot be written.
    """
    description = {
        "format": 1,
        "version": pdml.__version__,
        "spec": bundle.model.spec.to_dict(),
        "standardiser": bundle.standardiser.to_dict(),
        "border": bundle.border,
        "class_names": bundle.class_names,
        "colours": bundle.colours,
        "about": bundle.about,
        **({} if bundle.features is None else {"features": bundle.features.to_dict()}),
        "uncertainty": bundle.uncertainty.to_dict(),
        "expected": bundle.expected and bundle.expected.to_dict(),
    }
    of_doubt = bundle.uncertainty.to_tensors()
    tensors = {
        **bundle.model.state_dict(),
        **{OF_UNCERTAINTY + name: tensor for name, tensor in of_doubt.items()},
    }
    save_tensors(folder / WEIGHTS, tensors, {"spec": description["spec"]})
    write_text(folder / DESCRIPTION, json.dumps(description, indent=1))


def load_bundle(folder: Path) -> Bundle:
    """Reads a model from the folder of a run.

    Raises:
        MissingFileError: If the folder holds no model.
        UnreadableFileError: If one of the two files is truncated, foreign, or of another model.
    """
    path = folder / DESCRIPTION
    if not path.is_file():
        raise MissingFileError(
            f"there is no model in {folder}: {DESCRIPTION} is missing; "
            "give the folder that `pdml train --out` wrote, or finish that run with --resume"
        )
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
        model = _empty_model(description["spec"])
        standardiser = Standardiser.from_dict(description["standardiser"])
        made = description.get("features")
        features = None if made is None else FittedFeatures.from_dict(made)
        rest = {name: description[name] for name in ("border", "about")}
        # Models of before this was kept say nothing of it.
        known = description.get("expected")
        rest["expected"] = None if known is None else Expected.from_dict(known)
        names, colours = tuple(description["class_names"]), tuple(description["colours"])
    except (ValueError, KeyError, TypeError, PdmlError) as error:
        raise UnreadableFileError(
            f"{path} must describe a model that pdml wrote, it does not: {error}; "
            "copy the run folder again or train anew"
        ) from error
    weights, _ = load_tensors(folder / WEIGHTS)
    of_doubt = {
        name.removeprefix(OF_UNCERTAINTY): weights.pop(name)
        for name in list(weights)
        if name.startswith(OF_UNCERTAINTY)
    }
    try:
        model.load_state_dict(weights)
        # Models of before there was any say nothing of it.
        known = description.get("uncertainty")
        uncertainty = Uncertainty.from_parts(known, of_doubt) if known else Uncertainty()
    except (RuntimeError, KeyError, TypeError) as error:
        raise UnreadableFileError(
            f"{folder / WEIGHTS} must hold the weights of the model in {DESCRIPTION}, they are of "
            "another one; copy the run folder again or train anew"
        ) from error
    return Bundle(
        model.eval(),
        standardiser,
        class_names=names,
        colours=colours,
        features=features,
        uncertainty=uncertainty,
        **rest,
    )


def _empty_model(spec: dict[str, Any]) -> PatchModel:
    """A model that what was learnt fits into."""
    if "learner" in spec:
        return ClassicalModel(ClassicalSpec(**spec))
    return Model(ModelSpec(**spec))
