"""Heads: sizes, bounds of the variance, and its first value."""

from __future__ import annotations

import math

import pytest
import torch

from pdml.embeddings.gaussian import GaussianEmbedding
from pdml.embeddings.head import GaussianHead, PointHead


def features(n: int = 8) -> torch.Tensor:
    return torch.randn(n, 6, 5, 5, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("kernel_size", [1, 3])
def test_every_pixel_gets_a_mean_and_a_log_variance(kernel_size: int) -> None:
    embedding = GaussianHead(6, embedding_size=4, kernel_size=kernel_size)(features())
    assert embedding.mean.shape == embedding.require_log_variance().shape == (8, 5, 5, 4)


def test_a_kernel_of_one_is_a_linear_map_of_each_pixel() -> None:
    head = GaussianHead(6, embedding_size=4, kernel_size=1)
    x = features()
    linear = torch.nn.functional.linear(x[3, :, 1, 2], head.mean.weight, head.mean.bias)
    torch.testing.assert_close(head(x).mean[3, 1, 2], linear)


@pytest.mark.parametrize("scale", [1e3, 1e30])
def test_the_log_variance_stays_between_its_bounds(scale: float) -> None:
    embedding = GaussianHead(6, embedding_size=4)(scale * features())
    log_variance = embedding.require_log_variance()
    assert log_variance.min() == -10
    assert log_variance.max() == 4
    assert torch.isfinite(embedding.std).all()


@pytest.mark.parametrize("spread", [0.3, 1.0, 20.0])
def test_the_first_noise_is_a_fifth_of_the_median_distance(spread: float) -> None:
    head = GaussianHead(6, embedding_size=16)
    generator = torch.Generator().manual_seed(1)
    mean = spread * torch.randn(8, 5, 5, 16, generator=generator)
    head.start(GaussianEmbedding(mean))
    with torch.no_grad():
        head.log_variance.weight.zero_()
    log_variance = head(features()).require_log_variance()
    twice = [
        GaussianEmbedding(torch.zeros_like(mean), log_variance).sample(1, generator=generator)
        for _ in range(2)
    ]
    noise = (twice[0] - twice[1]).detach().norm(dim=-1).median()
    # Differences of Gaussians in 16 dimensions are sqrt(2 * 16) * spread apart, about.
    assert float(noise) == pytest.approx(0.2 * math.sqrt(32) * spread, rel=0.05)


def test_the_first_variance_stays_within_bounds_when_all_means_are_equal() -> None:
    head = GaussianHead(6, embedding_size=4)
    head.start(GaussianEmbedding(torch.ones(2, 5, 5, 4)))
    bias = head.log_variance.bias
    assert bias is not None
    assert torch.isfinite(bias).all()
    assert (bias >= -10).all()


def test_a_single_pixel_leaves_the_first_variance_as_it_is() -> None:
    head = GaussianHead(6, embedding_size=4)
    head.start(GaussianEmbedding(torch.ones(1, 1, 1, 4)))
    bias = head.log_variance.bias
    assert bias is not None
    assert torch.equal(bias, torch.full((4,), -4.0))


def test_a_point_head_passes_features_on_without_a_variance() -> None:
    embedding = PointHead()(features())
    assert embedding.log_variance is None
    assert torch.equal(embedding.mean, features().permute(0, 2, 3, 1))
