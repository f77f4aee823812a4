"""`pdml train`: a scene and a recipe become a run folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from pdml.cli import run_options as of_run
from pdml.cli import split_options as of_split
from pdml.cli.options import Device, Resume
from pdml.cli.settings import parsed_settings

if TYPE_CHECKING:
    from pdml.experiments.plan import RunRequest

_OF_SCENE = (
    "scene", "labels", "key", "labels_key", "nodata", "class_field", "layer", "crs", "bands",
    "drop_bands"
)  # fmt: skip
_OF_STRATEGY = (
    "train", "validation", "train_per_class", "validation_per_class", "block_pixels", "guard_pixels"
)  # fmt: skip
_OF_PUBLISHED = ("train_labels", "train_labels_key", "test_labels", "test_labels_key")


def train(
    context: typer.Context,
    scene: of_run.Scene = None,
    *,
    recipe: of_run.RecipeName = None,
    method: of_run.Method = None,
    pdml: of_run.Pdml = False,
    settings: of_run.Settings = None,
    epochs: of_run.Epochs = None,
    seed: of_run.Seed = None,
    out: of_run.Out = None,
    resume: Resume = False,
    device: Device = "auto",
    tensorboard: of_run.Tensorboard = False,
    split: of_split.Strategy = None,
    train: of_split.TrainShare = None,
    validation: of_split.Validation = None,
    train_per_class: of_split.TrainPerClass = None,
    validation_per_class: of_split.ValidationPerClass = None,
    block_pixels: of_split.BlockPixels = None,
    guard_pixels: of_split.GuardPixels = None,
    train_labels: of_split.TrainLabels = None,
    train_labels_key: of_split.TrainLabelsKey = None,
    test_labels: of_split.TestLabels = None,
    test_labels_key: of_split.TestLabelsKey = None,
    split_file: of_split.SplitFile = None,
    labels: of_run.Labels = None,
    labels_key: of_run.LabelsKey = None,
    key: of_run.Key = None,
    nodata: of_run.Nodata = None,
    class_field: of_run.ClassField = None,
    layer: of_run.Layer = None,
    crs: of_run.Crs = None,
    bands: of_run.Bands = None,
    drop_bands: of_run.DropBands = None,
) -> None:
    """Train a model on a scene, map it, score it and write a report.

    Example: `pdml train indian_pines --recipe quick --split blocks`

    Example: `pdml train indian_pines --method svm`, `--method ssatt --pdml`

    Example: `pdml train field.mat --labels field_gt.mat --train-per-class 10`

    Example: `pdml train scene.tif --labels fields.gpkg --class-field crop`

    Example: `pdml train scene.hdr --labels fields.gpkg --drop-bands bad,water,2400-2500nm`
    """
    from pdml.cli.show_run import run_and_show, show_files
    from pdml.experiments.plan import default_folder
    from pdml.experiments.run_folder import RunFolder

    request = _request(context.params)
    folder = RunFolder(default_folder(request) if out is None else out)
    run_and_show(request, folder, resume=resume, device=device, tensorboard=tensorboard)
    show_files(folder)


def _request(given: Mapping[str, Any]) -> RunRequest:
    """What was asked for, from all options by the names of their arguments."""
    from pdml.experiments.plan import RunRequest
    from pdml.experiments.split_request import SplitRequest

    return RunRequest(
        recipe=given["recipe"],
        method=given["method"],
        pdml=given["pdml"],
        seed=given["seed"],
        settings=parsed_settings(given["settings"] or (), epochs=given["epochs"]),
        split=SplitRequest(
            strategy=given["split"],
            file=given["split_file"],
            options={name: given[name] for name in _OF_STRATEGY},
            **{name: given[name] for name in _OF_PUBLISHED},
        ),
        **{name: given[name] for name in _OF_SCENE},
    )
