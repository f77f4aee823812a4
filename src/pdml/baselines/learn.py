"""`learn`: patches and a recipe become a model, by training a network or fitting a classifier."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from lightning_fabric import Fabric

from pdml.baselines.classical_model import ClassicalModel, ClassicalSpec
from pdml.baselines.learner import Examples, checked_options
from pdml.baselines.method import learner_named
from pdml.embeddings.predict import predict_pixels
from pdml.errors import InvalidInputError
from pdml.patches.source import PatchSource
from pdml.splits.split import Split
from pdml.training.history import Row
from pdml.training.loop import Learnt, train
from pdml.training.recipe import NETWORK, Recipe

SEARCH = "search.json"
"""What the fit of a classifier found and would take long to find again."""


def learn(
    source: PatchSource,
    split: Split,
    recipe: Recipe,
    *,
    seed: int = 0,
    folder: Path | None = None,
    resume: bool = False,
    fabric: Fabric | None = None,
    on_epoch: Callable[[Row], None] | None = None,
) -> Learnt:
    """Makes the model of a recipe; the arguments are those of `train`.

    Raises:
        InvalidInputError: If there is nothing to learn from.
    """
    if not len(split.train):
        raise InvalidInputError(
            "training needs labelled pixels, the training part of the split has none; "
            "split labels that are there"
        )
    if recipe.learner == NETWORK:
        return train(
            source,
            split,
            recipe,
            seed=seed,
            folder=folder,
            resume=resume,
            fabric=fabric,
            on_epoch=on_epoch,
        )
    keep = None if folder is None else folder / SEARCH
    if keep is not None and not resume:
        keep.unlink(missing_ok=True)
    return _fit(source, split, recipe, seed=seed, keep=keep)


def learner_options(recipe: Recipe) -> dict[str, Any]:
    """All options of a recipe's classifier, checked."""
    return checked_options(learner_named(recipe.learner), recipe.learner_options)


def _fit(
    source: PatchSource, split: Split, recipe: Recipe, *, seed: int, keep: Path | None
) -> Learnt:
    began = time.perf_counter()
    if split.train.classes.min() == split.train.classes.max():
        raise InvalidInputError(
            f"the classifier '{recipe.learner}' needs training pixels of at least 2 classes, got "
            f"one class only: '{split.class_names[int(split.train.classes[0])]}'"
        )
    indices = torch.from_numpy(split.train.indices).to(source.table.device)
    x = source.gather(indices).flatten(1).cpu().numpy()
    fitted = learner_named(recipe.learner).fit(
        Examples(x, split.train.classes, split.n_classes),
        seed=seed,
        options=learner_options(recipe),
        keep=keep,
    )
    spec = ClassicalSpec(
        n_bands=source.standardiser.n_bands,
        n_classes=split.n_classes,
        patch_size=recipe.patch_size,
        n_components=recipe.n_components,
        learner=recipe.learner,
        sizes=fitted.sizes,
    )
    model = ClassicalModel(spec, fitted).eval().to(source.table.device)
    seconds = {"train": time.perf_counter() - began}
    accuracy = _validation_accuracy(model, source, split)
    return Learnt(model=model, history=[], best_epoch=0, seconds=seconds, validation_oa=accuracy)


def _validation_accuracy(model: ClassicalModel, source: PatchSource, split: Split) -> float | None:
    """For the record: nothing is chosen by it."""
    if not len(split.validation):
        return None
    indices = torch.from_numpy(split.validation.indices).to(source.table.device)
    said = predict_pixels(model, source, indices).classes.cpu().numpy()
    return float((said == split.validation.classes).mean())
