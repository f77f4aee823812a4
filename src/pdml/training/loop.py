"""The training loop, on one screen: patches in, a trained model out, resumable at every epoch."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float
from lightning_fabric import Fabric
from torch import Tensor, nn

from pdml.embeddings.model import Model, ModelSpec
from pdml.embeddings.patch_model import PatchModel
from pdml.embeddings.prototypes import PrototypeClassifier
from pdml.errors import InvalidInputError
from pdml.losses.objective import Objective
from pdml.patches.source import PatchSource
from pdml.splits.split import Split
from pdml.training.batch import Batch
from pdml.training.batches import Batches, class_weights
from pdml.training.consistency import Teaching, consistency_loss
from pdml.training.fabric import make_fabric
from pdml.training.history import Row, seconds_of
from pdml.training.inputs import model_spec
from pdml.training.monitor import score_epoch
from pdml.training.optimiser import kernel_penalty
from pdml.training.precision import resolve_precision
from pdml.training.recipe import NETWORK, Recipe
from pdml.training.sampled_logits import sampled_logits
from pdml.training.schedule import learning_rate
from pdml.training.state import TrainingState, new_state
from pdml.training.stored_state import load_state, save_state, stored_precision

SECONDS_BETWEEN_CHECKPOINTS = 15.0
TERMS = ("total", "pairs", "variance", "classes", "consistency")


@dataclass(frozen=True, kw_only=True)
class Learnt:
    """A model with what is known of how it came to be.

    Attributes:
        model: The model that is kept, in evaluation mode.
        history: One row per epoch; empty where there are none.
        best_epoch: Best epoch on validation pixels; 0 if there were none.
        seconds: Time in training and validation, interruptions not counted.
        validation_oa: Accuracy on the validation pixels, of that epoch, where there are some.
    """

    model: PatchModel
    history: list[Row]
    best_epoch: int
    seconds: dict[str, float]
    validation_oa: float | None


@dataclass(frozen=True, kw_only=True)
class Trained(Learnt):
    """What training leaves behind.

    Attributes:
        model: The network with the weights that the recipe selects, in evaluation mode.
        untrained: The network as it was before the first step.
        match: Slope a and threshold b of the match probability after the last step; None where
            the loss has none.
    """

    model: Model
    untrained: Model
    match: tuple[float, float] | None = None


class TrainingStep(nn.Module):
    """Network and objective as one module, so that Fabric wraps a whole step."""

    def __init__(self, model: Model, objective: Objective, *, classify_samples: int = 0) -> None:
        super().__init__()
        self.classify_samples = classify_samples
        self.model = model
        self.objective = objective

    def forward(self, batch: Batch, generator: torch.Generator) -> Float[Tensor, " term"]:
        """The terms total, pairs, variance, classes, and consistency if there is a lesson."""
        embedding, logits = self.model(batch.patches)
        if isinstance(self.model.classifier, PrototypeClassifier):
            self.model.classifier.learn(embedding.mean, batch.classes)
        if self.classify_samples:
            n_samples = self.classify_samples
            logits = sampled_logits(self.model, embedding, n_samples, generator=generator)
        terms = self.objective(
            embedding,
            logits,
            batch.classes,
            generator=generator,
            pixel_classes=batch.pixel_classes,
            targets=batch.targets,
        )
        found = [terms.total, terms.pairs, terms.variance, terms.classes]
        if batch.lesson is not None:
            found.append(consistency_loss(self.model, batch.lesson))
            found[0] = found[0] + batch.lesson.weight * found[-1]
        return torch.stack(found)


def train(
    source: PatchSource,
    split: Split,
    recipe: Recipe,
    *,
    seed: int = 0,
    folder: Path | None = None,
    resume: bool = False,
    fabric: Fabric | None = None,
    on_epoch: Callable[[Row], None] | None = None,
) -> Trained:
    """Trains a model.

    Args:
        source: The scene's patches.
        split: Training pixels are learnt from, validation pixels choose the epoch. Test pixels are
            looked at only if the recipe says `watch_test`, and never chosen by.
        recipe: How the network is built and everything else.
        seed: Of weights, order, augmentation and samples.
        folder: Where checkpoint and history go; None keeps nothing.
        resume: Go on from the folder's checkpoint if there is one.
        fabric: Device and precision; the CPU in the recipe's precision when None.
        on_epoch: Called with each epoch's row, also with those of a run that is resumed.
    """
    require_network(recipe)
    device = fabric.device if fabric else torch.device("cpu")
    spec = model_spec(recipe, n_bands=source.standardiser.n_bands, n_classes=split.n_classes)
    recipe = _decided(recipe, spec, device, folder if resume else None)
    fabric = fabric or make_fabric("cpu", recipe.precision)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        weights = class_weights(split, recipe.class_balance)
        state = new_state(spec, recipe, seed=seed, device=fabric.device, class_weights=weights)
        untrained = state.chosen("last")
        module = TrainingStep(
            state.model, state.objective, classify_samples=recipe.classify_samples
        )
        step, optimiser = fabric.setup(module, state.optimiser, move_to_device=False)
        batches, teaching = Batches(source, split, recipe), Teaching(source, split, recipe)
        if resume and folder is not None:
            load_state(folder, state, recipe=recipe, seed=seed)
        before = _start(state, batches) if state.epoch == 0 else 0.0
        if on_epoch:
            for row in state.history:
                on_epoch(row)
        saved_at = time.monotonic()
        while state.epoch < recipe.epochs:
            row = _run_epoch(
                step, optimiser, state, batches, teaching, recipe=recipe, fabric=fabric
            )
            row["seconds"] += before if state.epoch == 1 else 0.0
            score_epoch(state, row, source, split, recipe)
            state.history.append(row)
            due = time.monotonic() - saved_at > SECONDS_BETWEEN_CHECKPOINTS
            if folder is not None and (due or state.epoch == recipe.epochs):
                save_state(folder, state, recipe=recipe, seed=seed)
                saved_at = time.monotonic()
            if on_epoch:
                on_epoch(row)
    return _trained(state, untrained, recipe)


def require_network(recipe: Recipe) -> None:
    """Refuses a recipe whose network would never be used.

    Raises:
        InvalidInputError: If its learner is a classical one.
    """
    if recipe.learner != NETWORK:
        raise InvalidInputError(
            f"train trains networks, the learner of this recipe is '{recipe.learner}'; "
            "use pdml.learn, which does both"
        )


def _trained(state: TrainingState, untrained: Model, recipe: Recipe) -> Trained:
    history, best = state.history, state.best_epoch
    accuracy = history[best - 1]["validation_oa"] if best else None
    return Trained(
        model=state.chosen(recipe.select),
        untrained=untrained,
        history=history,
        best_epoch=best,
        seconds=seconds_of(history),
        validation_oa=accuracy,
        match=state.objective.match,
    )


def _decided(recipe: Recipe, spec: ModelSpec, device: torch.device, resumed: Path | None) -> Recipe:
    """The recipe with its precision decided; what it was before the interruption it stays."""
    precision: str = recipe.precision
    if precision == "auto" and resumed is not None:
        precision = stored_precision(resumed) or precision
    precision = resolve_precision(precision, device, spec, batch_size=recipe.batch_size)
    return recipe.changed({"precision": precision})


def _run_epoch(
    step: nn.Module,
    optimiser: torch.optim.Optimizer,
    state: TrainingState,
    batches: Batches,
    teaching: Teaching,
    *,
    recipe: Recipe,
    fabric: Fabric,
) -> Row:
    """One epoch over the training pixels."""
    started = time.perf_counter()
    names = TERMS if recipe.lambda_consistency > 0 else TERMS[:-1]
    chosen = batches.epoch(state.order)
    n_steps = recipe.epochs * len(chosen)
    sums = torch.zeros(len(names), device=fabric.device)
    rate = recipe.learning_rate
    state.model.train()
    for number, positions in enumerate(chosen, start=state.epoch * len(chosen)):
        rate = learning_rate(
            number,
            n_steps,
            highest=recipe.learning_rate,
            schedule=recipe.schedule,
            warm_up=recipe.warm_up,
        )
        for group in optimiser.param_groups:
            group["lr"] = rate
        batch = batches.make(positions, state.order)
        progress = number / n_steps
        batch = teaching.added(batch, state.evaluated, state.order, progress=progress)
        terms = step(batch, state.noise)
        loss = terms[0]
        if recipe.kernel_l2 > 0:
            loss = loss + recipe.kernel_l2 * kernel_penalty(state.model)
        optimiser.zero_grad()
        fabric.backward(loss)
        if recipe.gradient_clip > 0:
            # A gradient that is not finite shows in the loss, which is checked after the epoch.
            fabric.clip_gradients(
                step, optimiser, max_norm=recipe.gradient_clip, error_if_nonfinite=False
            )
        optimiser.step()
        if state.average is not None:
            state.average.update_parameters(state.model)
        sums += torch.cat([loss.detach()[None], terms.detach()[1:]])
    state.epoch += 1
    terms_of_epoch = dict(zip(names, (sums / len(chosen)).tolist(), strict=True))
    seconds = time.perf_counter() - started
    return {"epoch": state.epoch, "learning_rate": rate, **terms_of_epoch, "seconds": seconds}


@torch.no_grad()
def _start(state: TrainingState, batches: Batches) -> float:
    """Lets the network look at all patches; sets what follows from the distances in a first batch.

    These are variances and the pair loss's a and b.

    Returns:
        How many seconds it took: pre-training is training.
    """
    started = time.perf_counter()
    state.model.backbone.prepare(batches.all(), generator=state.order)
    patches = batches.first()
    state.model.start(patches)
    embedding, _ = state.model(patches)
    state.objective.start(embedding, generator=state.noise)
    return time.perf_counter() - started
