"""What a run consists of and what it refuses to start with."""

from __future__ import annotations

import pytest
import torch

from pdml.errors import InvalidInputError
from pdml.training.recipe import Recipe
from pdml.training.state import TrainingState, build_objective, new_state
from tests.training.tiny import GAUSSIAN, PLAIN, spec_for


def state_of(recipe: Recipe, seed: int = 0) -> TrainingState:
    return new_state(spec_for(recipe), recipe, seed=seed, device=torch.device("cpu"))


def test_a_seed_decides_the_first_weights() -> None:
    first, again, other = (state_of(GAUSSIAN, seed).model.state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not all(torch.equal(first[name], other[name]) for name in first)


def test_an_average_is_evaluated_where_there_is_one() -> None:
    plain = state_of(GAUSSIAN)
    assert plain.evaluated is plain.model
    average = state_of(GAUSSIAN.changed({"averaging": 0.9}))
    assert average.average is not None
    assert average.evaluated is average.average.module


def test_the_chosen_network_is_a_copy_in_evaluation_mode() -> None:
    state = state_of(GAUSSIAN)
    chosen = state.chosen("last")
    assert not chosen.training
    with torch.no_grad():
        chosen.classifier.linear.weight.zero_()  # type: ignore[union-attr, operator]
    assert state.model.training
    assert state.model.classifier.linear.weight.abs().sum() > 0  # type: ignore[union-attr, operator]


def test_best_without_a_best_epoch_is_the_last() -> None:
    state = state_of(GAUSSIAN)
    chosen, last = state.chosen("best").state_dict(), state.model.state_dict()
    assert all(torch.equal(chosen[name], last[name]) for name in last)


@pytest.mark.parametrize("name", ["lambda_variance", "lambda_pairs"])
def test_a_network_without_variance_refuses_terms_that_need_one(name: str) -> None:
    with pytest.raises(InvalidInputError, match=r"set lambda_variance = 0 and lambda_pairs = 0, g"):
        build_objective(PLAIN.changed({name: 0.5}))


def test_the_objective_is_the_one_of_the_recipe() -> None:
    changes = {
        "lambda_variance": 0.5, "lambda_pairs": 2.0, "lambda_classes": 3.0, "n_samples": 2,
        "alpha": 0.4, "lap_form": "log", "reduction": "paper", "embed_with": "mean",
    }  # fmt: skip
    objective = build_objective(GAUSSIAN.changed(changes))
    assert {name: getattr(objective, name) for name in changes} == changes
