"""What every registered metric loss must do; a new one is tested on the day it is registered."""

from __future__ import annotations

import importlib

import pytest
import torch
from torch import Tensor

from pdml.errors import UnknownNameError
from pdml.losses.metric_loss import METRIC_LOSSES, MetricLoss
from pdml.losses.reduction import Reduction

pytestmark = pytest.mark.parametrize("name", METRIC_LOSSES.names())


def started(name: str, reduction: Reduction = "mean") -> tuple[MetricLoss, Tensor, Tensor]:
    """A loss that has seen a batch of three classes, with the batch."""
    generator = torch.Generator().manual_seed(0)
    classes = torch.arange(3).repeat_interleave(8)
    centres = 3 * torch.eye(3, 6)
    samples = centres[classes][:, None] + torch.randn(24, 3, 6, generator=generator)
    loss = METRIC_LOSSES.get(name)(reduction=reduction)
    loss.start(samples)
    return loss, samples.requires_grad_(), classes


def test_separated_classes_cost_less_than_shuffled_labels(name: str) -> None:
    loss, samples, classes = started(name)
    shuffled = classes[torch.randperm(24, generator=torch.Generator().manual_seed(1))]
    assert loss(samples, classes).item() < loss(samples, shuffled).item()


@pytest.mark.parametrize("one_class", [False, True])
def test_value_and_gradients_are_finite(name: str, one_class: bool) -> None:
    loss, samples, classes = started(name)
    value = loss(samples, torch.zeros_like(classes) if one_class else classes)
    wanted = [samples, *loss.parameters()]
    assert torch.isfinite(value)
    for gradient in torch.autograd.grad(value, wanted):
        assert torch.isfinite(gradient).all()


@pytest.mark.parametrize("reduction", ["mean", "paper"])
def test_the_order_of_pixels_does_not_matter(name: str, reduction: Reduction) -> None:
    loss, samples, classes = started(name, reduction)
    order = torch.randperm(24, generator=torch.Generator().manual_seed(2))
    torch.testing.assert_close(loss(samples[order], classes[order]), loss(samples, classes))


@pytest.mark.parametrize("reduction", ["mean", "paper"])
def test_it_equals_its_restatement_with_plain_loops(name: str, reduction: Reduction) -> None:
    restatement = importlib.import_module(f"tests.reference.{name}")
    loss, samples, classes = started(name, reduction)
    expected = restatement.by_loops(loss, samples, classes)
    assert loss(samples, classes).item() == pytest.approx(expected, rel=1e-5)


def test_an_unknown_reduction_is_refused(name: str) -> None:
    with pytest.raises(UnknownNameError, match="unknown reduction 'means'; did you mean 'mean'"):
        METRIC_LOSSES.get(name)(reduction="means")  # type: ignore[arg-type]
