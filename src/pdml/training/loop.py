"""The training loop, on one screen: patches in, a trained model out, resumable at every epoch."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float, Int
from lightning_fabric import Fabric
from torch import Tensor, nn

from pdml.embeddings.model import Model
from pdml.losses.objective import Objective
from pdml.patches.augment import dihedral, spectral_noise
from pdml.patches.samplers import m_per_class_batches, shuffled_batches
from pdml.patches.source import PatchSource
from pdml.scenes.labels import LabelledPixels
from pdml.splits.split import Split
from pdml.training.fabric import make_fabric
from pdml.training.history import Row
from pdml.training.inputs import model_spec
from pdml.training.monitor import score_epoch
from pdml.training.optimiser import kernel_penalty
from pdml.training.precision import resolve_precision
from pdml.training.recipe import Recipe
from pdml.training.schedule import learning_rate
from pdml.training.state import TrainingState, new_state
from pdml.training.stored_state import load_state, save_state, stored_precision

SECONDS_BETWEEN_CHECKPOINTS = 15.0


@dataclass(frozen=True)
class Trained:
    """What training leaves behind.

    Attributes:
        model: The network with the weights that the recipe selects, in evaluation mode.
        untrained: The network as it was before the first step.
        history: One row per epoch.
        best_epoch: Best epoch on validation pixels; 0 if there were none.
    """

    model: Model
    untrained: Model
    history: list[Row]
    best_epoch: int


class TrainingStep(nn.Module):
    """Network and objective as one module, so that Fabric wraps a whole step."""

    def __init__(self, model: Model, objective: Objective) -> None:
        super().__init__()
        self.model = model
        self.objective = objective

    def forward(
        self,
        patches: Float[Tensor, "n row col band"],
        labels: Int[Tensor, " n"],
        generator: torch.Generator,
    ) -> Float[Tensor, " term"]:
        """The terms total, pairs, variance, classes."""
        embedding, logits = self.model(patches)
        terms = self.objective(embedding, logits, labels, generator=generator)
        return torch.stack([terms.total, terms.pairs, terms.variance, terms.classes])


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
    device = fabric.device if fabric else torch.device("cpu")
    recipe = _decided(recipe, device, folder if resume else None)
    fabric = fabric or make_fabric("cpu", recipe.precision)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        spec = model_spec(recipe, n_bands=source.standardiser.n_bands, n_classes=split.n_classes)
        state = new_state(spec, recipe, seed=seed, device=fabric.device)
        untrained = state.chosen("last")
        step, optimiser = fabric.setup(
            TrainingStep(state.model, state.objective), state.optimiser, move_to_device=False
        )
        pixels = _on_device(split.train, fabric.device)
        if resume and folder is not None:
            load_state(folder, state, recipe=recipe, seed=seed)
        if state.epoch == 0:
            _start(state, source.gather(_evenly(pixels[0], recipe.batch_size)))
        if on_epoch:
            for row in state.history:
                on_epoch(row)
        saved_at = time.monotonic()
        while state.epoch < recipe.epochs:
            row = _run_epoch(step, optimiser, state, source, pixels, recipe=recipe, fabric=fabric)
            score_epoch(state, row, source, split, recipe)
            state.history.append(row)
            due = time.monotonic() - saved_at > SECONDS_BETWEEN_CHECKPOINTS
            if folder is not None and (due or state.epoch == recipe.epochs):
                save_state(folder, state, recipe=recipe, seed=seed)
                saved_at = time.monotonic()
            if on_epoch:
                on_epoch(row)
    return Trained(state.chosen(recipe.select), untrained, state.history, state.best_epoch)


def _decided(recipe: Recipe, device: torch.device, resumed: Path | None) -> Recipe:
    """The recipe with its precision decided; what it was before the interruption it stays."""
    precision: str = recipe.precision
    if precision == "auto" and resumed is not None:
        precision = stored_precision(resumed) or precision
    return recipe.changed({"precision": resolve_precision(precision, device)})


def _run_epoch(
    step: nn.Module,
    optimiser: torch.optim.Optimizer,
    state: TrainingState,
    source: PatchSource,
    pixels: tuple[Int[Tensor, " n"], Int[Tensor, " n"]],
    *,
    recipe: Recipe,
    fabric: Fabric,
) -> Row:
    """One pass over the training pixels."""
    started = time.perf_counter()
    indices, classes = pixels
    batches = _batches(classes, recipe, state.order)
    sums = torch.zeros(4, device=fabric.device)
    rate = recipe.learning_rate
    state.model.train()
    for number, batch in enumerate(batches, start=state.epoch * len(batches)):
        rate = learning_rate(
            number,
            recipe.epochs * len(batches),
            highest=recipe.learning_rate,
            schedule=recipe.schedule,
        )
        for group in optimiser.param_groups:
            group["lr"] = rate
        patches = _augmented(source.gather(indices[batch]), recipe, state.order)
        terms = step(patches, classes[batch], state.noise)
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
    names = ("total", "pairs", "variance", "classes")
    terms_of_epoch = dict(zip(names, (sums / len(batches)).tolist(), strict=True))
    seconds = time.perf_counter() - started
    return {"epoch": state.epoch, "learning_rate": rate, **terms_of_epoch, "seconds": seconds}


def _batches(
    classes: Int[Tensor, " n"], recipe: Recipe, order: torch.Generator
) -> list[Int[Tensor, " batch"]]:
    if recipe.per_class > 0:
        return m_per_class_batches(
            classes.cpu(), recipe.per_class, recipe.batch_size, generator=order
        )
    return shuffled_batches(len(classes), recipe.batch_size, generator=order)


def _augmented(
    patches: Float[Tensor, "n row col band"], recipe: Recipe, order: torch.Generator
) -> Float[Tensor, "n row col band"]:
    if recipe.flips:
        patches = dihedral(patches, order)
    return spectral_noise(patches, recipe.spectral_noise, order)


def _evenly(indices: Int[Tensor, " n"], count: int) -> Int[Tensor, " count"]:
    """Pixels from all over the scene; the first ones are neighbours of few classes."""
    return indices[:: max(1, len(indices) // count)][:count]


@torch.no_grad()
def _start(state: TrainingState, patches: Float[Tensor, "n row col band"]) -> None:
    """Sets variances and the pair loss's a and b from the distances in a first batch."""
    state.model.start(patches)
    embedding, _ = state.model(patches)
    state.objective.start(embedding, generator=state.noise)


def _on_device(
    pixels: LabelledPixels, device: torch.device
) -> tuple[Int[Tensor, " n"], Int[Tensor, " n"]]:
    return (
        torch.from_numpy(pixels.indices).to(device),
        torch.from_numpy(pixels.classes).to(device),
    )
