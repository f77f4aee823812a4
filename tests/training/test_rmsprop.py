"""`RMSProp` against PyTorch's, whose state and results it shares."""

from __future__ import annotations

import copy
from unittest.mock import MagicMock

import pytest
import torch
from torch import Tensor, optim

from pdml.native import rmsprop as native
from pdml.training.rmsprop import RMSProp

RATES = {"lr": 0.01, "alpha": 0.9, "eps": 1e-7}


def parameters(*, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    shapes = [(5, 3), (4,), (), (2, 6)]
    made = [torch.randn(shape, generator=generator, dtype=dtype) for shape in shapes]
    made[3] = made[3].t()  # one that is not contiguous, if it takes part
    return [tensor.requires_grad_() for tensor in made]


def groups(weights: list[Tensor], some: int) -> list[dict[str, object]]:
    return [
        {"params": weights[:2], "weight_decay": 0.1},
        {"params": weights[2:some], "weight_decay": 0.0},
    ]


def take_steps(optimiser: optim.Optimizer, weights: list[Tensor], *, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for _ in range(3):
        for weight in weights[1:]:  # the first has no gradient
            weight.grad = torch.randn(weight.shape, generator=generator).to(weight.dtype)
        optimiser.step()


@pytest.mark.parametrize("some", [3, 4])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_it_takes_the_steps_of_the_framework(dtype: torch.dtype, some: int) -> None:
    ours, theirs = parameters(dtype=dtype), parameters(dtype=dtype)
    one = RMSProp(groups(ours, some), **RATES)
    other = optim.RMSprop(groups(theirs, some), lr=0.01, alpha=0.9, eps=1e-7)
    for optimiser, weights in ((one, ours), (other, theirs)):
        take_steps(optimiser, weights, seed=1)
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b)
    for state, wanted in zip(one.state.values(), other.state.values(), strict=True):
        assert state.keys() == wanted.keys()
        for name, value in wanted.items():
            torch.testing.assert_close(state[name], value)


def test_steps_after_the_state_was_put_away_are_the_same_to_the_last_bit() -> None:
    weights = parameters()
    whole = RMSProp(groups(weights, 3), **RATES)
    take_steps(whole, weights, seed=1)
    taken_up = [weight.detach().clone().requires_grad_() for weight in weights]
    resumed = RMSProp(groups(taken_up, 3), **RATES)
    resumed.load_state_dict(copy.deepcopy(whole.state_dict()))
    for optimiser, of in ((whole, weights), (resumed, taken_up)):
        take_steps(optimiser, of, seed=2)
    assert all(torch.equal(a, b) for a, b in zip(weights, taken_up, strict=True))


def test_the_compiled_step_is_taken_from_the_second_one_on(monkeypatch: pytest.MonkeyPatch) -> None:
    if not native.available([torch.zeros(1)]):
        pytest.skip("there is no compiler here")
    calls = MagicMock(side_effect=native.rmsprop)
    monkeypatch.setattr(native, "rmsprop", calls)
    weights = parameters()
    take_steps(RMSProp(groups(weights, 3), **RATES), weights, seed=1)
    assert calls.call_count == 2 * 2  # two groups, two of three steps


def test_a_closure_is_called_and_its_loss_returned() -> None:
    weight = torch.ones(2, requires_grad=True)
    optimiser = RMSProp([{"params": [weight]}], **RATES)

    def closure() -> float:
        optimiser.zero_grad()
        loss = weight.square().sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return float(loss.detach())

    assert optimiser.step(closure) == 2.0
    assert bool((weight < 1).all())
