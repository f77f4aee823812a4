"""The two ways of drawing negatives."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdml.errors import InvalidInputError, UnknownNameError
from pdml.losses.metric.triplet import Triplet
from tests.reference.triplet import by_loops


def batch() -> tuple[Tensor, Tensor]:
    samples = torch.randn(12, 2, 3, generator=torch.Generator().manual_seed(0))
    return samples, torch.arange(3).repeat_interleave(4)


def test_semi_hard_negatives_have_the_expected_loss() -> None:
    torch.manual_seed(0)
    loss = Triplet(sampling="semihard", margin=0.7)
    samples, classes = batch()
    values = torch.stack([loss(samples, classes) for _ in range(400)])
    error = 4 * values.std().item() / 20
    assert values.mean().item() == pytest.approx(by_loops(loss, samples, classes), abs=error)


def test_more_triplets_per_anchor_have_the_same_mean_and_less_scatter() -> None:
    torch.manual_seed(0)
    samples, classes = batch()
    scatter = []
    for number in (1, 16):
        loss = Triplet(triplets_per_anchor=number)
        values = torch.stack([loss(samples, classes) for _ in range(200)])
        expected = by_loops(loss, samples, classes)
        assert values.mean().item() == pytest.approx(expected, abs=0.05)
        scatter.append(values.std().item())
    assert scatter[1] < scatter[0] / 3


@pytest.mark.parametrize("sampling", ["random", "semihard"])
def test_classes_far_apart_cost_nothing_and_have_no_gradient(sampling: str) -> None:
    loss = Triplet(sampling=sampling)  # type: ignore[arg-type]
    samples, classes = batch()
    apart = (samples + 100 * classes[:, None, None]).requires_grad_()
    value = loss(apart, classes)
    assert value.item() == 0
    (gradient,) = torch.autograd.grad(value, apart)
    assert not gradient.any()


def test_unknown_sampling_and_empty_margins_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown sampling 'semi'"):
        Triplet(sampling="semi")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="margin of a metric loss must be above 0, got 0"):
        Triplet(margin=0)
    with pytest.raises(InvalidInputError, match="triplets_per_anchor of a metric loss must be"):
        Triplet(triplets_per_anchor=0)
