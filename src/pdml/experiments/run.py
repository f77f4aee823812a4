"""One whole run: from a scene, a split and a recipe to a folder with everything that came of it."""

from __future__ import annotations

from dataclasses import dataclass

from lightning_fabric import Fabric

from pdml.allocator import keep_freed_memory
from pdml.atomic import write_text
from pdml.baselines.learn import learn
from pdml.evaluation.metrics import Metrics
from pdml.experiments.assess import assess
from pdml.experiments.buildable import require_buildable
from pdml.experiments.kept_embedding import save_embeddings
from pdml.experiments.listener import Listener, Stopwatch
from pdml.experiments.pictures import draw_pictures, rebuild_report
from pdml.experiments.run_device import on_device
from pdml.experiments.run_folder import RunFolder
from pdml.experiments.run_metrics import run_metrics, versions
from pdml.experiments.same_run import same_run
from pdml.experiments.subject import Subject
from pdml.inference.bundle import Bundle, make_bundle, save_bundle
from pdml.inference.fit_uncertainty import fit_uncertainty
from pdml.inference.mapper import map_scene
from pdml.inference.stored_map import save_class_map
from pdml.patches.source import PatchSource, require_patch_size
from pdml.scenes.check import check_values
from pdml.splits.checks import require_scene
from pdml.splits.split import Split
from pdml.splits.store import save_split
from pdml.training.history import write_tensorboard
from pdml.training.inputs import model_spec, n_inputs, patch_source
from pdml.training.loop import Learnt
from pdml.training.recipe import Recipe


@dataclass(frozen=True)
class RunOptions:
    """What a run needs to know beyond scene, split and recipe.

    Attributes:
        seed: Of everything random.
        resume: Go on with the run in the folder.
        device: `"auto"`, `"cpu"`, `"cuda"` or `"mps"`.
        tensorboard: Also write the curves for TensorBoard.
        command: What the user typed, for the record.
        method: What is trained, if it was named.
    """

    seed: int = 0
    resume: bool = False
    device: str = "auto"
    tensorboard: bool = False
    command: str = ""
    method: str = ""


def run(
    subject: Subject,
    split: Split,
    recipe: Recipe,
    folder: RunFolder,
    *,
    options: RunOptions | None = None,
    listener: Listener | None = None,
) -> Metrics:
    """Trains, maps, scores, draws and reports.

    Args:
        subject: The scene.
        split: Its split.
        recipe: How to train.
        folder: Where everything goes.
        options: Seed, device and the like.
        listener: Who is told of progress.

    Returns:
        What stands in `metrics.json`.

    Raises:
        PdmlError: If the input does not fit; nothing is written then.
    """
    options, listener = options or RunOptions(), listener or Listener()
    watch = Stopwatch(listener)
    keep_freed_memory()
    with watch.stage("check the scene"):
        recipe, fabric = _begin(subject, split, recipe, folder, options)
    with watch.stage("standardise"):
        source = patch_source(subject.scene, split, recipe, device=fabric.device)
    listener.stage("train")
    trained = learn(
        source, split, recipe, seed=options.seed, folder=folder.path, resume=options.resume,
        fabric=fabric, on_epoch=lambda row: listener.epoch(row, recipe.epochs),
    )  # fmt: skip
    with watch.stage("calibrate"):
        bundle = _saved_bundle(folder, trained, source, subject, split, recipe, seed=options.seed)
    with watch.stage("map"):
        class_map = map_scene(bundle, subject.scene, device=fabric.device, on_tile=listener.mapped)
        save_class_map(folder.map, class_map)
    with watch.stage("embed for t-SNE"):
        save_embeddings(folder.embedding, trained, source, split, seed=options.seed)
    with watch.stage("draw"):
        draw_pictures(folder, subject, class_map, seed=options.seed)
        if options.tensorboard:
            write_tensorboard(folder.path / "tensorboard", trained.history)
    metrics = run_metrics(subject, split, recipe, trained, class_map, method=options.method)
    if len(split.test) and bundle.model.has_probability:
        with watch.stage("judge the uncertainty"):
            metrics["uncertainty"], _ = assess(bundle, source, split, subject.labels)
    seconds = {**watch.seconds, **trained.seconds}
    metrics |= {"seed": options.seed, "command": options.command, "seconds": seconds}
    folder.write_metrics(metrics)
    rebuild_report(folder, colours=bundle.colours)
    return metrics


def _begin(
    subject: Subject, split: Split, recipe: Recipe, folder: RunFolder, options: RunOptions
) -> tuple[Recipe, Fabric]:
    """Refuses what does not fit, then claims the folder and writes down what is about to be run."""
    _require_fit(subject, split, recipe)
    if options.resume:
        recipe = same_run(folder, split, recipe)
    sizes = {"n_bands": subject.scene.n_bands, "n_classes": split.n_classes}
    recipe, fabric = on_device(recipe, options.device, **sizes)
    folder.claim(resume=options.resume)
    _write_beginning(folder, subject, split, recipe, options)
    return recipe, fabric


def _require_fit(subject: Subject, split: Split, recipe: Recipe) -> None:
    """Everything that can be refused before anything is written."""
    scene = subject.scene
    require_scene(split, scene.shape[:2])
    require_patch_size(recipe.patch_size, scene.shape[:2])
    check_values(scene)
    n_bands = n_inputs(recipe, scene.n_bands)
    spec = model_spec(recipe, n_bands=n_bands, n_classes=split.n_classes)
    require_buildable(spec, recipe)


def _saved_bundle(
    folder: RunFolder,
    trained: Learnt,
    source: PatchSource,
    subject: Subject,
    split: Split,
    recipe: Recipe,
    *,
    seed: int,
) -> Bundle:
    """The model with what its doubts mean, written into the folder of the run."""
    colours = subject.labels.colours if subject.labels else ()
    about = {"scene": subject.scene.name, "dataset": subject.dataset, "seed": seed}
    bundle = make_bundle(
        trained.model,
        source,
        split.class_names,
        colours,
        uncertainty=fit_uncertainty(trained, source, split, surroundings=recipe.surroundings),
        about=about,
    )
    save_bundle(folder.path, bundle)
    return bundle


def _write_beginning(
    folder: RunFolder, subject: Subject, split: Split, recipe: Recipe, options: RunOptions
) -> None:
    write_text(folder.recipe, recipe.to_toml())
    save_split(split, folder.split)
    folder.write_origin(
        {
            **subject.origin,
            "seed": options.seed,
            "command": options.command,
            "method": options.method,
            "versions": versions(),
        }
    )
