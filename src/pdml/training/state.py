"""Everything that changes while a model is trained, and how it is put away and taken up again."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, optim
from torch.optim.swa_utils import AveragedModel

from pdml.embeddings.model import Model, ModelSpec
from pdml.errors import InvalidInputError
from pdml.losses.objective import Objective
from pdml.training.average import averaged
from pdml.training.history import Row
from pdml.training.optimiser import build_optimiser
from pdml.training.recipe import Recipe


@dataclass
class TrainingState:
    """The moving parts of a run.

    Attributes:
        model: The network that is trained.
        objective: The loss with its own parameters.
        optimiser: Over both.
        average: Running average of the network's weights; None if the recipe wants none.
        order: Generator of batches and augmentation.
        noise: Generator of Monte-Carlo samples, on the device of the network.
        epoch: Epochs that are done.
        history: One row per epoch.
        best: Weights of the best epoch on validation pixels so far.
        best_epoch: That epoch; 0 before there is one.
    """

    model: Model
    objective: Objective
    optimiser: optim.Optimizer
    average: AveragedModel | None
    order: torch.Generator
    noise: torch.Generator
    epoch: int = 0
    history: list[Row] = field(default_factory=list)
    best: dict[str, Tensor] = field(default_factory=dict)
    best_epoch: int = 0

    @property
    def evaluated(self) -> Model:
        """The network whose scores count: the average if there is one."""
        if self.average is None:
            return self.model
        inner = self.average.module
        assert isinstance(inner, Model)  # an average of a Model holds a Model
        return inner

    def keep_as_best(self) -> None:
        """Remembers the evaluated weights as the best so far."""
        self.best = {k: v.detach().clone() for k, v in self.evaluated.state_dict().items()}
        self.best_epoch = self.epoch

    def chosen(self, select: str) -> Model:
        """A copy of the network with the weights that the recipe wants to keep."""
        model = copy.deepcopy(self.evaluated)
        if select == "best" and self.best:
            model.load_state_dict(self.best)
        return model.eval()

    def to_tensors(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All of it as named tensors and JSON-ready values."""
        device = self.noise.device
        groups: dict[str, dict[str, Tensor]] = {
            "model": self.model.state_dict(),
            "objective": self.objective.state_dict(),
            "average": self.average.state_dict() if self.average else {},
            "best": self.best,
            "optimiser": _optimiser_tensors(self.optimiser),
            "generator": {
                "order": self.order.get_state(),
                "noise": self.noise.get_state(),
                "global": torch.get_rng_state(),  # dropout draws from it
                **({"cuda": torch.cuda.get_rng_state(device)} if device.type == "cuda" else {}),
            },
        }
        tensors = {
            f"{group}/{name}": tensor
            for group, members in groups.items()
            for name, tensor in members.items()
        }
        about = {"epoch": self.epoch, "best_epoch": self.best_epoch, "history": self.history}
        return tensors, about

    def restore(self, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
        """Takes up what `to_tensors` put away."""
        groups: dict[str, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            group, _, member = name.partition("/")
            groups.setdefault(group, {})[member] = tensor
        self.model.load_state_dict(groups["model"])
        self.objective.load_state_dict(groups.get("objective", {}))
        if self.average is not None:
            self.average.load_state_dict(groups["average"])
        self.best = groups.get("best", {})
        _restore_optimiser(self.optimiser, groups.get("optimiser", {}))
        self.order.set_state(groups["generator"]["order"])
        self.noise.set_state(groups["generator"]["noise"])
        torch.set_rng_state(groups["generator"]["global"])
        if "cuda" in groups["generator"] and self.noise.device.type == "cuda":
            torch.cuda.set_rng_state(groups["generator"]["cuda"], self.noise.device)
        self.epoch = int(about["epoch"])
        self.best_epoch = int(about["best_epoch"])
        self.history = list(about["history"])


def new_state(
    spec: ModelSpec,
    recipe: Recipe,
    *,
    seed: int,
    device: torch.device,
    class_weights: Sequence[float] = (),
) -> TrainingState:
    """The state before the first step. Seeds the global generator, which initialises weights."""
    torch.manual_seed(seed)
    model = Model(spec).to(device)
    objective = build_objective(
        recipe,
        n_features=model.embedding_size,
        n_classes=spec.n_classes,
        class_weights=class_weights,
    ).to(device)
    return TrainingState(
        model=model,
        objective=objective,
        optimiser=build_optimiser(model, objective, recipe),
        average=averaged(model, recipe.averaging) if recipe.averaging > 0 else None,
        order=torch.Generator().manual_seed(seed),
        noise=torch.Generator(device).manual_seed(seed + 1),
    )


def build_objective(
    recipe: Recipe,
    *,
    n_features: int = 0,
    n_classes: int = 0,
    class_weights: Sequence[float] = (),
) -> Objective:
    """The recipe's objective; a plain network has only the cross-entropy.

    Args:
        recipe: Its terms and their weights.
        n_features: Size of the embedding, for a metric loss with weights of its own.
        n_classes: Number of classes, for such a loss.
        class_weights: Weight of each class in the cross-entropy; all alike if empty.
    """
    samples_pairs = recipe.lambda_pairs > 0 and recipe.embed_with == "samples"
    if recipe.head == "point" and (recipe.lambda_kl > 0 or recipe.classify_samples > 0):
        raise InvalidInputError(
            "head = 'point' has no variance: set lambda_kl = 0 and classify_samples = 0, "
            f"got {recipe.lambda_kl} and {recipe.classify_samples}"
        )
    if recipe.head == "point" and (recipe.lambda_variance > 0 or samples_pairs):
        raise InvalidInputError(
            "head = 'point' has no variance: set lambda_variance = 0 and lambda_pairs = 0, "
            f"got {recipe.lambda_variance} and {recipe.lambda_pairs}"
        )
    return Objective(
        lambda_variance=recipe.lambda_variance,
        lambda_pairs=recipe.lambda_pairs,
        lambda_classes=recipe.lambda_classes,
        lambda_kl=recipe.lambda_kl,
        n_samples=recipe.n_samples,
        alpha=recipe.alpha,
        lap_form=recipe.lap_form,
        reduction=recipe.reduction,
        metric=recipe.metric,
        metric_options=recipe.metric_options,
        embed_with=recipe.embed_with,
        n_features=n_features,
        n_classes=n_classes,
        label_smoothing=recipe.label_smoothing,
        class_weights=class_weights,
    )


def _optimiser_tensors(optimiser: optim.Optimizer) -> dict[str, Tensor]:
    return {
        f"{number}/{name}": value
        for number, members in optimiser.state_dict()["state"].items()
        for name, value in members.items()
        if isinstance(value, Tensor)
    }


def _restore_optimiser(optimiser: optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    members: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        number, _, member = name.partition("/")
        members.setdefault(int(number), {})[member] = tensor
    layout = optimiser.state_dict()
    optimiser.load_state_dict({"state": members, "param_groups": layout["param_groups"]})
