"""One run of a sweep: train, predict the test pixels, score. No pictures, no report."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from pdml.atomic import atomic_path
from pdml.baselines.learn import learn
from pdml.embeddings.prediction import Prediction
from pdml.errors import DivergedError, InvalidInputError
from pdml.evaluation.metrics import LeakageRecord
from pdml.evaluation.scores import Scores, score
from pdml.experiments.experiment import Keeps
from pdml.experiments.kept_embedding import save_embeddings
from pdml.experiments.leave_out import without_class
from pdml.experiments.run_device import on_device
from pdml.experiments.run_metrics import best_on_test, leakage_record, versions
from pdml.experiments.subject import Subject
from pdml.experiments.sweep.detect import detector_scores
from pdml.experiments.sweep.doubts import doubt_record
from pdml.experiments.sweep.job import Job
from pdml.experiments.sweep.splits import split_of
from pdml.experiments.sweep.store import Record, SweepFolder
from pdml.inference.bundle import Bundle, make_bundle
from pdml.inference.doubt import DOUBT_SCORES
from pdml.inference.fit_uncertainty import fit_uncertainty
from pdml.inference.judged import judged_pixels
from pdml.inference.mapper import map_scene
from pdml.inference.uncertainty import Uncertainty
from pdml.patches.source import PatchSource
from pdml.scenes.labels import LabelledPixels
from pdml.splits.split import Split
from pdml.training.history import Row
from pdml.training.inputs import patch_source
from pdml.training.loop import Learnt


def execute(
    job: Job,
    subject: Subject,
    folder: SweepFolder,
    *,
    keeps: Keeps | None = None,
    device: str = "auto",
    on_epoch: Callable[[Row], None] | None = None,
) -> Record:
    """Does a run, going on from its checkpoint if it was broken off, and returns its line.

    A run whose loss stops being a number gets a line as well, without scores: it would do so again.

    Args:
        job: What to do.
        subject: The scene.
        folder: Where checkpoint and predictions go.
        keeps: What else is kept.
        device: Where the network runs.
        on_epoch: Called with each epoch's row.
    """
    unknown = None
    if job.left_out is not None:
        subject, unknown = without_class(subject, job.left_out)
    split = split_of(job, subject)
    sizes = {"n_bands": subject.scene.n_bands, "n_classes": split.n_classes}
    recipe, fabric = on_device(job.recipe, device, **sizes)
    work = folder.work(job.id)
    work.mkdir(parents=True, exist_ok=True)
    record: Record = {
        **job.key,
        "id": job.id,
        "counts": {part: of.tolist() for part, of in split.counts.items()},
        **_leakage(job, split),
        "precision": recipe.precision,
        "threads": torch.get_num_threads(),
        "versions": versions(),
    }
    source = patch_source(subject.scene, split, recipe, device=fabric.device)
    try:
        trained = learn(
            source, split, recipe, seed=job.seed, folder=work, resume=True, fabric=fabric,
            on_epoch=on_epoch,
        )  # fmt: skip
    except DivergedError as error:
        return {**record, "diverged": str(error)}
    known = Uncertainty()
    if recipe.surroundings != "none":
        known = fit_uncertainty(trained, source, split, surroundings=recipe.surroundings)
    record |= _judged(job, trained, known, source, split, folder)
    if unknown is not None:
        record["detectors"] = detector_scores(trained, source, split, unknown)
    if keeps == "map":
        began = time.perf_counter()
        bundle = make_bundle(trained.model, source, split.class_names, uncertainty=known)
        _save_map(folder.kept(job.id), bundle, subject, source)
        record["seconds"]["map"] = time.perf_counter() - began
    elif keeps == "embedding":
        save_embeddings(folder.kept(job.id), trained, source, split, seed=job.seed)
    return record


def _leakage(job: Job, split: Split) -> dict[str, LeakageRecord]:
    """How near training pixels are to those that the run is scored on."""
    found = {}
    if job.judged != "test":
        if not len(split.validation):
            raise InvalidInputError(
                "a search of a recipe is judged by validation pixels, the split has none; "
                "choose a split that draws some"
            )
        validated = replace(split, test=split.validation)
        found["validation_leakage"] = leakage_record(validated, job.recipe.patch_size)
    if job.judged != "validation":
        found["leakage"] = leakage_record(split, job.recipe.patch_size)
    return found


def _of_training(trained: Learnt) -> dict[str, Any]:
    found: dict[str, Any] = {
        "parameters": trained.model.n_values,
        "best_epoch": trained.best_epoch or None,
        "validation_oa": trained.validation_oa,
        "seconds": dict(trained.seconds),
    }
    if trained.history:
        found["seconds"]["epoch"] = median(row["seconds"] for row in trained.history)
    if oracle := best_on_test(trained.history):
        found["best_on_test"] = oracle
    return found


def _judged(
    job: Job,
    trained: Learnt,
    known: Uncertainty,
    source: PatchSource,
    split: Split,
    folder: SweepFolder,
) -> dict[str, Any]:
    """What is known of the training, and scores on the pixels that count."""
    found = _of_training(trained)
    if job.judged != "test":
        found["validation"] = _validated(trained, known, source, split)
    if job.judged != "validation":
        scores, seconds = _tested(job, trained, known, source, split, folder)
        found |= scores
        found["seconds"]["test"] = seconds
    return found


def _validated(
    trained: Learnt, known: Uncertainty, source: PatchSource, split: Split
) -> dict[str, Any]:
    """Scores of the weights that were kept on the validation pixels, which chose them."""
    said = _said(trained, known, source, split.validation)
    stored = _scores(trained, split.validation, said.probability, split).to_dict()
    return {name: stored[name] for name in ("oa", "aa", "kappa", "nll")}


def _tested(
    job: Job,
    trained: Learnt,
    known: Uncertainty,
    source: PatchSource,
    split: Split,
    folder: SweepFolder,
) -> tuple[dict[str, Any], float]:
    """Scores on the test pixels, and the seconds that it took to classify them."""
    began = time.perf_counter()
    judges = known.temperature is not None or known.surroundings is not None
    wanted = DOUBT_SCORES.names() if judges else []
    said = _said(trained, known, source, split.test, wanted=wanted)
    seconds = time.perf_counter() - began
    with atomic_path(folder.predictions(job.id)) as temporary, temporary.open("wb") as file:
        np.savez_compressed(
            file,
            allow_pickle=False,
            indices=split.test.indices.astype(np.int32),
            truth=split.test.classes.astype(np.uint8),
            predicted=said.classes.cpu().numpy().astype(np.uint8),
        )
    found: dict[str, Any] = dict(_scores(trained, split.test, said.probability, split).to_dict())
    if judges:
        found["doubts"] = doubt_record(split.test.classes, said, known)
    return found, seconds


def _said(
    trained: Learnt,
    known: Uncertainty,
    source: PatchSource,
    pixels: LabelledPixels,
    *,
    wanted: Sequence[str] = (),
) -> Prediction:
    indices = torch.from_numpy(pixels.indices).to(source.table.device)
    return judged_pixels(trained.model, known, source, indices, wanted=wanted)


def _scores(
    trained: Learnt,
    pixels: LabelledPixels,
    said: Float[Tensor, "n class_"],
    split: Split,
) -> Scores:
    probability = said.cpu().numpy()
    return score(
        pixels.classes,
        probability.argmax(axis=1),
        class_names=split.class_names,
        probability=probability if trained.model.has_probability else None,
    )


def _save_map(path: Path, bundle: Bundle, subject: Subject, source: PatchSource) -> None:
    """The class of every pixel, 0 where nothing was measured."""
    class_map = map_scene(bundle, subject.scene, device=source.table.device)
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(
            file, allow_pickle=False, classes=(class_map.classes + 1).astype(np.uint8)
        )
