"""Mixtures of Gaussians against moments of many samples, and their way through model and loss."""

from __future__ import annotations

import math

import pytest
import torch

from pdml.embeddings.gaussian import GaussianEmbedding
from pdml.embeddings.head import GaussianHead
from pdml.embeddings.mixture import MixtureEmbedding, MixtureHead, compared_log_variance
from pdml.embeddings.model import Model, ModelSpec
from pdml.errors import InvalidInputError
from pdml.losses.objective import Objective

SMALL = {"n_kernels": 4, "n_spectral_features": 8}


def two_gaussians() -> MixtureEmbedding:
    generator = torch.Generator().manual_seed(0)
    return MixtureEmbedding.of(
        tuple(
            GaussianEmbedding(
                torch.randn(2, 3, 3, 4, generator=generator),
                torch.randn(2, 3, 3, 4, generator=generator),
            )
            for _ in range(2)
        )
    )


def model(n_gaussians: int) -> Model:
    torch.manual_seed(0)
    return Model(
        ModelSpec(
            20, 3, patch_size=3, backbone_options=SMALL, embedding_size=4, n_gaussians=n_gaussians
        )
    )


def test_mean_and_variance_are_those_of_many_samples() -> None:
    mixture = two_gaussians()
    samples = mixture.sample(40_000, generator=torch.Generator().manual_seed(1))
    assert samples.shape == (2, 3, 3, 80_000, 4)
    torch.testing.assert_close(samples.mean(dim=3), mixture.mean, atol=0.05, rtol=0)
    torch.testing.assert_close(samples.var(dim=3), mixture.variance, atol=0.05, rtol=0.05)


def test_every_gaussian_gives_as_many_samples() -> None:
    apart = tuple(
        GaussianEmbedding(torch.full((1, 1, 1, 2), mean), torch.full((1, 1, 1, 2), -8.0))
        for mean in (-10.0, 0.0, 10.0)
    )
    samples = MixtureEmbedding.of(apart).sample(5)
    assert [int((samples[..., 0] - mean).abs().lt(1).sum()) for mean in (-10, 0, 10)] == [5, 5, 5]


def test_the_variance_of_two_points_is_a_quarter_of_their_squared_distance() -> None:
    points = tuple(
        GaussianEmbedding(torch.full((1, 1, 1, 1), mean), torch.full((1, 1, 1, 1), -60.0))
        for mean in (1.0, 4.0)
    )
    mixture = MixtureEmbedding.of(points)
    assert mixture.mean.item() == 2.5
    assert mixture.variance.item() == pytest.approx(9 / 4)


def test_laps_are_compared_by_the_variances_of_all_gaussians() -> None:
    mixture = two_gaussians()
    both = torch.stack([each.require_log_variance() for each in mixture.components])
    compared = compared_log_variance(mixture)
    assert compared.shape == (2, 3, 3, 8)
    torch.testing.assert_close(compared.exp().mean(-1), both.exp().mean(dim=(0, -1)))
    single = mixture.components[0]
    assert compared_log_variance(single) is single.log_variance


def test_one_gaussian_is_the_head_that_it_always_was() -> None:
    one = model(1)
    assert isinstance(one.head, GaussianHead)
    assert {name for name in one.state_dict() if name.startswith("head")} == {
        f"head.{layer}.{part}" for layer in ("mean", "log_variance") for part in ("weight", "bias")
    }


def test_a_mixture_is_started_and_trained_in_all_of_its_gaussians() -> None:
    two = model(2)
    patches = torch.randn(6, 3, 3, 20, generator=torch.Generator().manual_seed(2))
    two.start(patches)
    embedding, logits = two(patches)
    assert isinstance(embedding, MixtureEmbedding)
    assert isinstance(two.head, MixtureHead)
    for component in embedding.components:
        mean = component.mean.flatten(0, 2)
        noise = (component.variance.mean() * 2 * mean.shape[1]).sqrt()
        assert noise.item() == pytest.approx(0.2 * torch.pdist(mean).median().item(), rel=0.3)
    labels = torch.tensor([0, 1, 2, 0, 1, 2])
    objective = Objective(lap_form="log", alpha=math.e)
    objective.start(embedding)
    torch.autograd.backward(objective(embedding, logits, labels).total)
    for parameter in two.head.parameters():
        assert parameter.grad is not None
        assert parameter.grad.abs().sum() > 0


def test_a_gaussian_twice_costs_what_it_costs_once() -> None:
    single = two_gaussians().components[0]
    twice = MixtureEmbedding.of((single, single))
    logits, labels = torch.zeros(2, 3), torch.tensor([0, 1])
    objective = Objective(embed_with="mean")
    once, again = (objective(each, logits, labels) for each in (single, twice))
    torch.testing.assert_close(once.total, again.total)
    torch.testing.assert_close(twice.variance, single.variance)


def test_several_gaussians_of_a_point_are_refused() -> None:
    spec = ModelSpec(20, 3, head="point", classifier="pooled", n_gaussians=2)
    with pytest.raises(InvalidInputError, match="has no Gaussians, got n_gaussians = 2; set"):
        Model(spec)
