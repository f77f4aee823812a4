"""Gaussian embeddings: derived quantities, samples, and what a point embedding refuses."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from pdml.embeddings.gaussian import GaussianEmbedding
from pdml.errors import InvalidInputError


def embedding() -> GaussianEmbedding:
    mean = torch.tensor([-3.0, 0.0, 40.0]).expand(1, 1, 2, 3)
    log_variance = torch.tensor([0.0, math.log(4.0), math.log(0.01)]).expand(1, 1, 2, 3)
    return GaussianEmbedding(mean, log_variance)


def test_variance_and_standard_deviation_come_from_the_logarithm() -> None:
    torch.testing.assert_close(embedding().variance[0, 0, 0], torch.tensor([1.0, 4.0, 0.01]))
    torch.testing.assert_close(embedding().std[0, 0, 0], torch.tensor([1.0, 2.0, 0.1]))


def test_samples_have_the_mean_and_the_variance() -> None:
    n = 40_000
    samples = embedding().sample(n, generator=torch.Generator().manual_seed(0))
    assert samples.shape == (1, 1, 2, n, 3)
    for pixel in samples[0, 0]:
        standard = (pixel - embedding().mean[0, 0, 0]) / embedding().std[0, 0, 0]
        assert (standard.mean(0).abs() < 4 / math.sqrt(n)).all()
        assert (standard.var(0) - 1).abs().max() < 4 * math.sqrt(2 / n)
    # Pixels and coordinates are drawn independently.
    together = torch.cat([samples[0, 0, 0], samples[0, 0, 1]], dim=1)
    assert (torch.corrcoef(together.T) - torch.eye(6)).abs().max() < 4 / math.sqrt(n)


def test_a_generator_makes_samples_repeatable() -> None:
    first, again, other = (
        embedding().sample(3, generator=torch.Generator().manual_seed(seed)) for seed in (5, 5, 6)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_samples_carry_gradients_to_mean_and_log_variance() -> None:
    mean = torch.zeros(1, 1, 1, 2, requires_grad=True)
    log_variance = torch.zeros(1, 1, 1, 2, requires_grad=True)
    samples = GaussianEmbedding(mean, log_variance).sample(
        5, generator=torch.Generator().manual_seed(0)
    )
    torch.autograd.backward(samples.sum())
    torch.testing.assert_close(mean.grad, torch.full((1, 1, 1, 2), 5.0))
    # d(m + exp(l / 2) * eps) / dl = eps / 2 where l is 0, and the samples are eps where m is 0.
    torch.testing.assert_close(log_variance.grad, samples.detach().sum(3) / 2)


def test_a_point_embedding_has_no_variance_to_give() -> None:
    point = GaussianEmbedding(torch.zeros(1, 1, 1, 2))
    asked: list[Callable[[], Tensor]] = [
        lambda: point.variance,
        lambda: point.std,
        lambda: point.sample(2),
    ]
    for ask in asked:
        with pytest.raises(InvalidInputError, match="got a point embedding; choose head = 'gauss"):
            ask()
