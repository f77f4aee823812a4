"""Scoring a run's model anew on the test pixels of its split."""

from __future__ import annotations

import torch

from pdml.embeddings.predict import predict_pixels
from pdml.errors import InvalidInputError
from pdml.evaluation.metrics import Metrics
from pdml.evaluation.scores import score
from pdml.experiments.assess import assess
from pdml.experiments.reopen import reopen_subject
from pdml.experiments.run_device import fitting_device
from pdml.experiments.run_folder import RunFolder
from pdml.inference.bundle import load_bundle
from pdml.patches.source import PatchSource
from pdml.splits.checks import require_scene
from pdml.splits.store import load_split
from pdml.training.fabric import make_fabric


def evaluate_run(folder: RunFolder, *, device: str = "auto") -> Metrics:
    """Classifies a run's test pixels with its model and writes the scores into `metrics.json`.

    Args:
        folder: The folder of a finished run.
        device: Where the network runs.

    Returns:
        All metrics with the new scores among them.

    Raises:
        PdmlError: If the run is not finished, its scene has moved or changed, or nothing is tested.
    """
    bundle = load_bundle(folder.path)
    metrics = folder.read_metrics()
    split = load_split(folder.split)
    if not len(split.test):
        raise InvalidInputError(
            f"an evaluation needs test pixels, the split of {folder.path} has none; "
            "train again with a split that leaves some"
        )
    subject = reopen_subject(folder)
    scene = bundle.fitted(subject.scene)
    require_scene(split, scene.shape[:2])
    place = make_fabric(fitting_device(device, in_double=bundle.model.in_double), "32").device
    source = PatchSource(
        bundle.seen(scene),
        bundle.standardiser,
        patch_size=bundle.model.spec.patch_size,
        border=bundle.border,
        device=place,
        double=bundle.model.in_double,
    )
    bundle.model.to(place)
    if bundle.model.has_probability:
        metrics["uncertainty"], judged = assess(bundle, source, split, subject.labels)
    else:
        indices = torch.from_numpy(split.test.indices).to(place)
        judged = predict_pixels(bundle.model, source, indices)
    probability = judged.probability.cpu().numpy()
    scores = score(
        split.test.classes,
        probability.argmax(axis=1),
        class_names=split.class_names,
        probability=probability if bundle.model.has_probability else None,
    )
    metrics = {**metrics, **scores.to_dict()}
    folder.write_metrics(metrics)
    return metrics
