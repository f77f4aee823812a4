"""`Plan`: everything that must be known before a run starts, checked before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pdml.baselines.method import method_recipe
from pdml.errors import InvalidInputError
from pdml.experiments.buildable import require_buildable
from pdml.experiments.split_request import SplitRequest, requested_split
from pdml.experiments.subject import Subject, open_subject
from pdml.patches.source import require_patch_size
from pdml.splits.split import Split
from pdml.training.inputs import model_spec, n_inputs
from pdml.training.recipe import Recipe, load_recipe, parse_value

DEFAULT_RECIPE = "default"


@dataclass(frozen=True)
class RunRequest:
    """What was said about a run; None and empty mean that nothing was.

    Attributes:
        scene: A dataset's name or a file.
        labels: File with the labels.
        key: Name of the cube inside its file.
        labels_key: Name of the label map inside its file.
        nodata: Value of pixels that were not measured.
        class_field: The attribute of polygons and points that names the classes.
        layer: Their layer.
        crs: The coordinate reference system of the scene, where its file names none.
        recipe: Name or file of a recipe.
        method: Name of a method; without a recipe it is trained as its article does.
        pdml: Train the network of the method under the PDML head.
        settings: Values over the recipe, as text.
        split: What was said about the split.
        seed: Of everything random.
    """

    scene: str | None = None
    labels: str | None = None
    key: str | None = None
    labels_key: str | None = None
    nodata: float | None = None
    class_field: str | None = None
    layer: str | None = None
    crs: str | None = None
    recipe: str | None = None
    method: str | None = None
    pdml: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)
    split: SplitRequest = field(default_factory=SplitRequest)
    seed: int | None = None

    @property
    def method_title(self) -> str:
        """How the method is called in the files of the run; empty if none is named."""
        if self.method is None:
            return ""
        return f"{self.method} under PDML" if self.pdml else self.method


@dataclass(frozen=True)
class Plan:
    """A run that can start.

    Attributes:
        subject: The scene.
        split: Its split.
        recipe: How to train.
        seed: Of everything random.
        command: What was typed when the run was started, if it was started before.
        method: What is trained, if it was named.
    """

    subject: Subject
    split: Split
    recipe: Recipe
    seed: int
    command: str = ""
    method: str = ""


def plan_run(request: RunRequest) -> Plan:
    """Opens, splits and checks what a new run needs.

    Raises:
        PdmlError: If something is missing or does not fit.
    """
    if request.scene is None:
        raise InvalidInputError(
            "a new run needs a scene, got none; name a dataset or a file, for example "
            "`pdml train indian_pines`"
        )
    seed = request.seed or 0
    recipe = requested_recipe(named_recipe(request), request.settings)
    subject = open_subject(
        request.scene,
        labels=request.labels,
        key=request.key,
        labels_key=request.labels_key,
        nodata=request.nodata,
        class_field=request.class_field,
        layer=request.layer,
        crs=request.crs,
    )
    require_patch_size(recipe.patch_size, subject.scene.shape[:2])
    split = requested_split(request.split, subject, patch_size=recipe.patch_size, seed=seed)
    spec = model_spec(
        recipe, n_bands=n_inputs(recipe, subject.scene.n_bands), n_classes=split.n_classes
    )
    require_buildable(spec, recipe)
    return Plan(subject, split, recipe, seed, method=request.method_title)


def named_recipe(request: RunRequest) -> str | Recipe:
    """The recipe that was asked for, before any of its values is replaced.

    Raises:
        PdmlError: If there is no such recipe or method, or they do not go together.
    """
    if request.method is None:
        if request.pdml:
            raise InvalidInputError(
                "--pdml says how a method is trained, got no --method; leave it out: without a "
                "method PDML is trained anyway"
            )
        return request.recipe or DEFAULT_RECIPE
    base = None if request.recipe is None else load_recipe(request.recipe)
    return method_recipe(request.method, base, pdml=request.pdml)


def requested_recipe(
    recipe: str | Recipe, settings: Mapping[str, str], *, precision: str = "auto"
) -> Recipe:
    """A recipe with some of its values replaced.

    Args:
        recipe: Name or file of a recipe, or a recipe.
        settings: Values over it, as text.
        precision: What "auto" was found to mean.

    Raises:
        PdmlError: If there is no such recipe, key or value.
    """
    chosen = recipe if isinstance(recipe, Recipe) else load_recipe(recipe)
    values = {name: parse_value(name, text) for name, text in settings.items()}
    chosen = chosen.changed(values)
    return chosen.changed({"precision": precision}) if chosen.precision == "auto" else chosen


def default_folder(request: RunRequest) -> Path:
    """Where a run goes that was not told where: `runs/<scene>-<method>-<recipe>-seed<seed>`.

    Raises:
        InvalidInputError: If no scene is named.
    """
    if request.scene is None:
        raise InvalidInputError(
            "without a scene the folder of the run must be named; say --out DIR, or name the scene"
        )
    recipe = Path(request.recipe or ("" if request.method else DEFAULT_RECIPE)).stem
    method = request.method_title.replace(" under PDML", "-pdml")
    parts = (Path(request.scene).stem, method, recipe, f"seed{request.seed or 0}")
    return Path("runs") / "-".join(filter(None, parts))
