"""One whole run: from a scene, a split and a recipe to a folder with everything that came of it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import torch

import pdml
from pdml.atomic import atomic_path, write_text
from pdml.embeddings.model import ModelSpec, n_parameters
from pdml.embeddings.predict import predict_pixels
from pdml.evaluation.embedding_plot import MOST_POINTS, stratified_sample
from pdml.evaluation.metrics import Metrics
from pdml.evaluation.scores import score
from pdml.experiments.listener import Listener, Stopwatch
from pdml.experiments.pictures import draw_pictures, rebuild_report
from pdml.experiments.run_folder import RunFolder
from pdml.experiments.subject import Subject
from pdml.inference.bundle import Bundle, save_bundle
from pdml.inference.mapper import map_scene
from pdml.inference.stored_map import save_class_map
from pdml.patches.normalise import fit_standardiser
from pdml.patches.source import PatchSource, require_patch_size
from pdml.scenes.check import check_values
from pdml.splits.checks import require_scene
from pdml.splits.leakage import leakage
from pdml.splits.split import Split
from pdml.splits.store import save_split
from pdml.training.fabric import make_fabric
from pdml.training.history import write_tensorboard
from pdml.training.loop import Trained, train
from pdml.training.precision import resolve_precision
from pdml.training.recipe import Recipe


def run(
    subject: Subject,
    split: Split,
    recipe: Recipe,
    folder: RunFolder,
    *,
    seed: int = 0,
    resume: bool = False,
    device: str = "auto",
    tensorboard: bool = False,
    command: str = "",
    listener: Listener | None = None,
) -> Metrics:
    """Trains, maps, scores, draws and reports.

    Args:
        subject: The scene.
        split: Its split.
        recipe: How to train.
        folder: Where everything goes.
        seed: Of everything random.
        resume: Go on with the run in the folder.
        device: `"auto"`, `"cpu"`, `"cuda"` or `"mps"`.
        tensorboard: Also write the curves for TensorBoard.
        command: What the user typed, for the record.
        listener: Who is told of progress.

    Returns:
        What stands in `metrics.json`.

    Raises:
        PdmlError: If the input does not fit; nothing is written then.
    """
    listener = listener or Listener()
    watch = Stopwatch(listener)
    scene = subject.scene
    require_scene(split, scene.shape[:2])
    require_patch_size(recipe.patch_size, scene.shape[:2])
    with watch.stage("check the scene"):
        check_values(scene)
    spec = model_spec(recipe, n_bands=scene.n_bands, n_classes=split.n_classes)
    fabric = make_fabric(device, "32")
    recipe = recipe.changed({"precision": resolve_precision(recipe.precision, fabric.device)})
    fabric = make_fabric(device, recipe.precision)
    folder.claim(resume=resume)
    _write_beginning(folder, subject, split, recipe, seed=seed, command=command)
    with watch.stage("standardise"):
        standardiser = fit_standardiser(scene, fit_on=recipe.fit_on, indices=split.train.indices)
        source = PatchSource(
            scene,
            standardiser,
            patch_size=recipe.patch_size,
            border=recipe.border,
            device=fabric.device,
        )
    listener.stage("train")
    trained = train(
        source,
        split,
        spec,
        recipe,
        seed=seed,
        folder=folder.path,
        resume=resume,
        fabric=fabric,
        on_epoch=lambda row: listener.epoch(row, recipe.epochs),
    )
    for stage, column in {"train": "seconds", "validate": "validation_seconds"}.items():
        watch.seconds[stage] = sum(row[column] for row in trained.history)
    bundle = Bundle(
        trained.model,
        standardiser,
        recipe.border,
        split.class_names,
        subject.labels.colours if subject.labels else (),
        {"scene": scene.name, "dataset": subject.dataset, "seed": seed},
    )
    save_bundle(folder.path, bundle)
    with watch.stage("map"):
        class_map = map_scene(bundle, scene, device=fabric.device, on_tile=listener.mapped)
        save_class_map(folder.map, class_map)
    metrics = _metrics(subject, split, recipe, trained, class_map.probability, seed=seed)
    metrics["command"] = command
    metrics["seconds"] = watch.seconds
    with watch.stage("embed for t-SNE"):
        _save_embeddings(folder, trained, source, split, seed=seed)
    with watch.stage("draw"):
        draw_pictures(folder, subject, class_map, seed=seed)
    if tensorboard:
        write_tensorboard(folder.path / "tensorboard", trained.history)
    folder.write_metrics(metrics)
    rebuild_report(folder, colours=bundle.colours)
    return metrics


def model_spec(recipe: Recipe, *, n_bands: int, n_classes: int) -> ModelSpec:
    """The network that a recipe describes, for a scene."""
    return ModelSpec(
        n_bands=n_bands,
        n_classes=n_classes,
        patch_size=recipe.patch_size,
        backbone=recipe.backbone,
        backbone_options=recipe.backbone_options,
        head=recipe.head,
        embedding_size=recipe.embedding_size,
        head_kernel=recipe.head_kernel,
        classifier=recipe.classifier,
        dropout=recipe.dropout,
    )


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    return {
        "pdml": pdml.__version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def _write_beginning(
    folder: RunFolder,
    subject: Subject,
    split: Split,
    recipe: Recipe,
    *,
    seed: int,
    command: str,
) -> None:
    write_text(folder.recipe, recipe.to_toml())
    save_split(split, folder.split)
    folder.write_origin(
        {**subject.origin, "seed": seed, "command": command, "versions": versions()}
    )


def _metrics(
    subject: Subject,
    split: Split,
    recipe: Recipe,
    trained: Trained,
    probability: np.ndarray,
    *,
    seed: int,
) -> Metrics:
    about = subject.scene.about
    metrics: Metrics = {
        "scene": subject.scene.name,
        "dataset": subject.dataset,
        "synthetic": bool(about.get("synthetic", False)),
        "twin": bool(about.get("twin", False)),
        "method": "pdml" if recipe.head == "gaussian" else recipe.backbone,
        "split": _split_record(split),
        "leakage": None,
        "seed": seed,
        "epochs": recipe.epochs,
        "best_epoch": trained.best_epoch or None,
        "validation_oa": None,
        "versions": versions(),
        "parameters": n_parameters(trained.model),
    }
    if trained.best_epoch:
        metrics["validation_oa"] = trained.history[trained.best_epoch - 1]["validation_oa"]
    if len(split.test):
        metrics["leakage"] = asdict(leakage(split, recipe.patch_size))  # type: ignore[typeddict-item]
        metrics.update(test_scores(split, probability))
    watched = [row for row in trained.history if "test_oa_watched" in row]
    if watched:
        best = max(watched, key=lambda row: row["test_oa_watched"])
        metrics["best_on_test"] = {"oa": best["test_oa_watched"], "epoch": int(best["epoch"])}
    return metrics


def test_scores(split: Split, probability: np.ndarray) -> Any:
    """Scores of a whole-scene map on the test pixels."""
    of_test = probability.reshape(-1, split.n_classes)[split.test.indices]
    return score(
        split.test.classes,
        of_test.argmax(axis=1),
        class_names=split.class_names,
        probability=of_test,
    ).to_dict()


def _split_record(split: Split) -> dict[str, Any]:
    counts: Mapping[str, np.ndarray] = split.counts
    return {**split.how, "counts": {part: of.tolist() for part, of in counts.items()}}


def _save_embeddings(
    folder: RunFolder, trained: Trained, source: PatchSource, split: Split, *, seed: int
) -> None:
    """Means of some test pixels by the untrained and the trained network, for t-SNE."""
    pixels = split.test if len(split.test) else split.train
    chosen = pixels[stratified_sample(pixels.classes, MOST_POINTS, seed=seed)]
    indices = torch.from_numpy(chosen.indices).to(source.table.device)
    means = {
        when: predict_pixels(model, source, indices).mean.cpu().numpy()
        for when, model in {"before": trained.untrained, "after": trained.model}.items()
    }
    with atomic_path(folder.embedding) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, classes=chosen.classes, **means)
