"""The divergence from a unit Gaussian against torch's own distributions."""

from __future__ import annotations

import pytest
import torch
from torch.distributions import Normal, kl_divergence

from pdml.embeddings.gaussian import GaussianEmbedding
from pdml.errors import InvalidInputError
from pdml.losses.kl_to_unit import kl_to_unit
from pdml.losses.objective import Objective


def embedding() -> GaussianEmbedding:
    generator = torch.Generator().manual_seed(0)
    mean, log_variance = torch.randn(2, 4, 3, 3, 5, generator=generator)
    return GaussianEmbedding(mean, log_variance)


def test_it_agrees_with_the_distributions_of_torch() -> None:
    one = embedding()
    assert one.log_variance is not None
    each = kl_divergence(Normal(one.mean, one.std), Normal(0.0, 1.0))
    expected = each.sum(dim=-1).mean()
    torch.testing.assert_close(kl_to_unit(one.mean, one.log_variance), expected)


def test_it_is_zero_for_the_unit_gaussian() -> None:
    assert kl_to_unit(torch.zeros(2, 3), torch.zeros(2, 3)) == 0


def test_the_objective_adds_it_with_its_weight() -> None:
    one, logits, labels = embedding(), torch.zeros(4, 2), torch.tensor([0, 1, 0, 1])
    terms = [
        Objective(lambda_pairs=0, lambda_kl=weight)(one, logits, labels).total
        for weight in (0.0, 0.01)
    ]
    assert one.log_variance is not None
    torch.testing.assert_close(terms[1] - terms[0], 0.01 * kl_to_unit(one.mean, one.log_variance))


def test_a_negative_weight_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="must not be negative"):
        Objective(lambda_kl=-1.0)
