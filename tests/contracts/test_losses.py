"""What every registered metric loss must do; a new one is tested on the day it is registered.

A loss that draws pairs or triplets is a random number; what must hold for the others holds for its
mean over many draws.
"""

from __future__ import annotations

import importlib

import pytest
import torch
from torch import Tensor

from pdml.errors import UnknownNameError
from pdml.losses.metric_loss import METRIC_LOSSES, MetricLoss
from pdml.losses.reduction import Reduction

pytestmark = pytest.mark.parametrize("name", METRIC_LOSSES.names())

N_DRAWS = 150


def started(name: str, reduction: Reduction = "mean") -> tuple[MetricLoss, Tensor, Tensor]:
    """A loss that has seen a batch of three classes, with the batch."""
    generator = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    classes = torch.arange(3).repeat_interleave(8)
    centres = 3 * torch.eye(3, 6)
    samples = centres[classes][:, None] + torch.randn(24, 3, 6, generator=generator)
    loss = METRIC_LOSSES.get(name).build(n_features=6, n_classes=3, reduction=reduction)
    loss.start(samples)
    return loss, samples.requires_grad_(), classes


def mean_and_error(loss: MetricLoss, samples: Tensor, classes: Tensor) -> tuple[float, float]:
    """The mean over draws with four standard errors; of one value, if nothing is drawn."""
    with torch.no_grad():
        values = torch.stack([loss(samples, classes) for _ in range(N_DRAWS if loss.draws else 1)])
    error = 4 * values.std().item() / len(values) ** 0.5 if loss.draws else 0.0
    return values.mean().item(), error


def fitted(loss: MetricLoss, samples: Tensor, classes: Tensor) -> MetricLoss:
    """The loss with its own parameters adapted to the labels, as in training."""
    parameters = list(loss.parameters())
    if parameters:
        optimiser = torch.optim.Adam(parameters, lr=0.05)
        for _ in range(40):
            optimiser.zero_grad()
            torch.autograd.backward(loss(samples.detach(), classes))
            optimiser.step()
    return loss


def test_separated_classes_cost_less_than_shuffled_labels(name: str) -> None:
    loss, samples, classes = started(name)
    shuffled = classes[torch.randperm(24, generator=torch.Generator().manual_seed(1))]
    separated, _ = mean_and_error(fitted(loss, samples, classes), samples, classes)
    mixed, _ = mean_and_error(fitted(loss, samples, shuffled), samples, shuffled)
    assert separated < mixed


@pytest.mark.parametrize("one_class", [False, True])
def test_value_and_gradients_are_finite(name: str, one_class: bool) -> None:
    loss, samples, classes = started(name)
    value = loss(samples, torch.zeros_like(classes) if one_class else classes)
    wanted = [samples, *loss.parameters()]
    assert torch.isfinite(value)
    for gradient in torch.autograd.grad(value, wanted):
        assert torch.isfinite(gradient).all()


def test_a_single_pixel_and_equal_pixels_are_finite(name: str) -> None:
    loss, samples, classes = started(name)
    equal = torch.ones_like(samples).requires_grad_()
    for pixels, labels in ((samples[:1], classes[:1]), (equal, classes)):
        value = loss(pixels, labels)
        (gradient,) = torch.autograd.grad(value, pixels)
        assert torch.isfinite(value)
        assert torch.isfinite(gradient).all()


@pytest.mark.parametrize("reduction", ["mean", "paper"])
def test_the_order_of_pixels_does_not_matter(name: str, reduction: Reduction) -> None:
    loss, samples, classes = started(name, reduction)
    order = torch.randperm(24, generator=torch.Generator().manual_seed(2))
    expected, one_error = mean_and_error(loss, samples, classes)
    found, other_error = mean_and_error(loss, samples[order], classes[order])
    assert found == pytest.approx(expected, rel=1e-5, abs=one_error + other_error + 1e-5)


@pytest.mark.parametrize("reduction", ["mean", "paper"])
def test_it_equals_its_restatement_with_plain_loops(name: str, reduction: Reduction) -> None:
    restatement = importlib.import_module(f"tests.reference.{name}")
    loss, samples, classes = started(name, reduction)
    expected = restatement.by_loops(loss, samples, classes)
    found, error = mean_and_error(loss, samples, classes)
    assert found == pytest.approx(expected, rel=1e-5, abs=error)


def test_the_same_random_state_gives_the_same_value(name: str) -> None:
    loss, samples, classes = started(name)
    state = torch.get_rng_state()
    first = loss(samples, classes).item()
    torch.set_rng_state(state)
    assert loss(samples, classes).item() == first


def test_an_unknown_reduction_is_refused(name: str) -> None:
    with pytest.raises(UnknownNameError, match="unknown reduction 'means'; did you mean 'mean'"):
        METRIC_LOSSES.get(name).build(n_features=6, n_classes=3, reduction="means")
