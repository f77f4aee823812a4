"""The running average against its recursion, written out for single numbers."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from pdml.training.average import averaged


@pytest.mark.parametrize("decay", [0.3, 0.998])
def test_the_average_follows_its_recursion(decay: float) -> None:
    layer = nn.Linear(1, 1).double()
    average = averaged(layer, decay)
    generator = torch.Generator().manual_seed(0)
    expected = 0.0
    for n, value in enumerate(torch.randn(30, generator=generator).tolist()):
        with torch.no_grad():
            layer.weight.fill_(value)
        average.update_parameters(layer)
        past = min(decay, (1 + n) / (10 + n)) if n else 0.0  # the first step is taken as it is
        expected = past * expected + (1 - past) * value
        assert float(average.state_dict()["module.weight"]) == pytest.approx(expected)


def test_statistics_are_averaged_and_counters_are_copied() -> None:
    norm = nn.BatchNorm1d(1)
    average = averaged(norm, 0.5)
    for mean in (1.0, 3.0):
        norm.running_mean = torch.full((1,), mean)
        norm.num_batches_tracked = torch.tensor(int(mean))
        average.update_parameters(norm)
    past = 2 / 11
    averages = average.state_dict()
    assert float(averages["module.running_mean"]) == pytest.approx(past * 1 + (1 - past) * 3)
    assert int(averages["module.num_batches_tracked"]) == 3


def test_the_model_itself_stays_as_it_is() -> None:
    layer = nn.Linear(2, 2)
    before = layer.weight.detach().clone()
    average = averaged(layer, 0.9)
    for _ in range(3):
        average.update_parameters(layer)
    assert torch.equal(layer.weight, before)
    assert torch.equal(average.state_dict()["module.weight"], before)
