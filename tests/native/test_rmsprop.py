"""The compiled step of RMSProp against the formula, number by number."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from pdml.native import rmsprop as native

SHAPES = [(), (1,), (17,), (3, 5, 7), (40, 1001)]


def random_tensors(seed: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator) for shape in SHAPES]


@pytest.mark.parametrize("decay", [0.0, 0.1])
@pytest.mark.parametrize("threads", [1, 2])
def test_it_follows_the_formula(decay: float, threads: int) -> None:
    weights, gradients = random_tensors(0), random_tensors(1)
    if not native.available(weights):
        pytest.skip("there is no compiler here")
    averages = [values.square() for values in random_tensors(2)]
    steps = [torch.tensor(4.0) for _ in SHAPES]
    expected = []
    for tensors in zip(weights, gradients, averages, strict=True):
        numbers = (tensor.double().flatten().tolist() for tensor in tensors)
        for weight, gradient, past in zip(*numbers, strict=True):
            g = gradient + decay * weight
            average = 0.9 * past + 0.1 * g * g
            expected.append((weight - 0.01 * g / (math.sqrt(average) + 1e-7), average))
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    native.rmsprop(
        weights, gradients, averages, steps, rate=0.01, alpha=0.9, eps=1e-7, weight_decay=decay
    )
    torch.set_num_threads(before)
    for of, found in enumerate((weights, averages)):
        wanted = torch.tensor([pair[of] for pair in expected])
        torch.testing.assert_close(torch.cat([t.flatten() for t in found]), wanted)
    assert steps == [5.0] * len(SHAPES)


def test_tensors_that_it_cannot_take() -> None:
    assert not native.available([torch.zeros(3, dtype=torch.float64)])
    assert not native.available([torch.zeros(3, 4).t()])
