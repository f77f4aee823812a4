"""Steps of the optimisers against formulas that are written out."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from pdml.embeddings.model import Model
from pdml.losses.objective import Objective
from pdml.training.optimiser import build_optimiser, kernel_penalty
from pdml.training.recipe import Recipe
from tests.training.tiny import GAUSSIAN, PLAIN, spec_for

NOTHING = nn.Identity()


def layer() -> nn.Linear:
    torch.manual_seed(0)
    return nn.Linear(3, 2).double()


def recipe_with(**values: Any) -> Recipe:
    return Recipe(**{"learning_rate": 0.01, "weight_decay": 0.0, **values})


def test_rmsprop_follows_the_formula_of_tensorflow() -> None:
    """new_a = rho a + (1 - rho) g²; w -= rate g / (sqrt(new_a) + eps), with rho 0.9, eps 1e-7."""
    module = layer()
    optimiser = build_optimiser(module, NOTHING, recipe_with(optimiser="rmsprop"))
    weights = [float(w) for w in module.weight.detach().flatten()]
    averages = [0.0] * len(weights)
    generator = torch.Generator().manual_seed(1)
    for _ in range(4):
        gradient = torch.randn(2, 3, generator=generator, dtype=torch.float64)
        gradient[0, 0] = 1e-9  # where eps decides
        module.weight.grad = gradient
        optimiser.step()
        for place, g in enumerate(gradient.flatten().tolist()):
            averages[place] = 0.9 * averages[place] + 0.1 * g * g
            weights[place] -= 0.01 * g / (math.sqrt(averages[place]) + 1e-7)
    expected = torch.tensor(weights, dtype=torch.float64).view(2, 3)
    torch.testing.assert_close(module.weight.detach(), expected, rtol=1e-12, atol=0)


def test_adamw_takes_its_rate_as_first_step_and_decays_apart_from_it() -> None:
    module = layer()
    before = module.weight.detach().clone()
    optimiser = build_optimiser(module, NOTHING, recipe_with(optimiser="adamw", weight_decay=0.1))
    module.weight.grad = torch.tensor([[5.0, -1.0, 0.01]] * 2, dtype=torch.float64)
    optimiser.step()
    expected = before * (1 - 0.01 * 0.1) - 0.01 * module.weight.grad.sign()
    torch.testing.assert_close(module.weight.detach(), expected, rtol=1e-5, atol=1e-7)


def test_sgd_steps_with_nesterov_momentum() -> None:
    module = layer()
    weight = module.weight.detach().clone()
    optimiser = build_optimiser(module, NOTHING, recipe_with(optimiser="sgd"))
    velocity = torch.zeros_like(weight)
    for gradient in (torch.ones(2, 3).double(), torch.full((2, 3), -3.0).double()):
        module.weight.grad = gradient.clone()
        optimiser.step()
        velocity = 0.9 * velocity + gradient
        weight = weight - 0.01 * (gradient + 0.9 * velocity)
    torch.testing.assert_close(module.weight.detach(), weight)


@pytest.mark.parametrize("name", ["rmsprop", "adamw", "sgd"])
def test_weight_decay_spares_biases_normalisation_and_the_objective(name: str) -> None:
    model, objective = Model(spec_for(GAUSSIAN)), Objective()
    optimiser = build_optimiser(model, objective, recipe_with(optimiser=name, weight_decay=0.5))
    parameters = dict(model.named_parameters()) | dict(objective.named_parameters())
    with torch.no_grad():
        for parameter in parameters.values():
            parameter.fill_(1.0)
            parameter.grad = torch.zeros_like(parameter)
    optimiser.step()
    decayed = {key for key, value in parameters.items() if bool((value < 1).all())}
    kept = {key for key, value in parameters.items() if bool((value == 1).all())}
    assert decayed == {key for key in parameters if key.endswith("weight")} - norms(model)
    assert kept == parameters.keys() - decayed
    assert {"metric.log_a", "metric.b"} <= kept


def norms(model: Model) -> set[str]:
    """Names of normalisation weights: those with one axis."""
    return {name for name, value in model.named_parameters() if value.ndim == 1}


@pytest.mark.parametrize("recipe", [GAUSSIAN, PLAIN])
def test_every_parameter_is_optimised_once(recipe: Recipe) -> None:
    model, objective = Model(spec_for(recipe)), Objective()
    optimiser = build_optimiser(model, objective, recipe)
    owned: list[Tensor] = [p for group in optimiser.param_groups for p in group["params"]]
    wanted = {*model.parameters(), *objective.parameters()}
    assert len(owned) == len(wanted)
    assert set(owned) == wanted


def test_the_kernel_penalty_counts_all_convolutions_and_no_classifier() -> None:
    model = Model(spec_for(PLAIN))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(1.0)
    n, filters = 4, 8
    n_positions = (30 - 7) // 2 + 1
    first, spectral, spanning = 7 * n, 4 * n * n * 7, n * n_positions * filters
    entry, spatial = filters * n * 9, 4 * n * n * 9
    assert float(kernel_penalty(model).detach()) == first + spectral + spanning + entry + spatial


def test_the_kernel_penalty_of_a_gaussian_network_counts_its_head() -> None:
    model = Model(spec_for(GAUSSIAN))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.head.mean.weight.fill_(2.0)  # type: ignore[union-attr, operator]
    assert float(kernel_penalty(model).detach()) == 4 * (6 * 4 * 9)
