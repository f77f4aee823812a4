"""Classes of samples: what the classifier says of them on average, and who learns from it."""

from __future__ import annotations

import pytest
import torch

from pdml.embeddings.gaussian import GaussianEmbedding
from pdml.embeddings.model import Model, ModelSpec
from pdml.errors import InvalidInputError
from pdml.training.recipe import Recipe
from pdml.training.sampled_logits import sampled_logits
from pdml.training.state import build_objective


def model() -> Model:
    torch.manual_seed(0)
    return Model(ModelSpec(12, 3, patch_size=3, backbone="spectral_mlp", embedding_size=4)).eval()


def embedding(log_variance: float = 0.0) -> GaussianEmbedding:
    mean = torch.randn(5, 3, 3, 4, generator=torch.Generator().manual_seed(0))
    return GaussianEmbedding(mean, torch.full_like(mean, log_variance).requires_grad_())


def test_it_is_the_mean_of_the_probabilities_of_the_samples() -> None:
    one, net = embedding(), model()
    found = sampled_logits(net, one, 3, generator=torch.Generator().manual_seed(1))
    samples = one.sample(3, generator=torch.Generator().manual_seed(1))
    each = [net.classifier(samples[..., k, :]).softmax(dim=1) for k in range(3)]
    torch.testing.assert_close(found.exp(), (each[0] + each[1] + each[2]) / 3)


def test_without_variance_it_says_what_the_means_say() -> None:
    one, net = embedding(-60.0), model()
    found = sampled_logits(net, one, 2, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(found, net.classify(one.mean).log_softmax(dim=1))


def test_mistakes_reach_the_variance() -> None:
    one = embedding()
    found = sampled_logits(model(), one, 3, generator=torch.Generator().manual_seed(1))
    loss = torch.nn.functional.cross_entropy(found, torch.tensor([0, 1, 2, 0, 1]))
    assert one.log_variance is not None
    (gradient,) = torch.autograd.grad(loss, one.log_variance)
    assert float(gradient.abs().sum()) > 0


@pytest.mark.parametrize("key", ["lambda_kl", "classify_samples"])
def test_a_plain_network_has_no_variance_to_learn(key: str) -> None:
    plain = {"head": "point", "lambda_variance": 0.0, "lambda_pairs": 0.0}
    recipe = Recipe.from_dict({**plain, key: 1})
    with pytest.raises(InvalidInputError, match="has no variance: set lambda_kl = 0 and classify"):
        build_objective(recipe)


def test_both_are_off_and_so_no_part_of_what_a_recipe_is() -> None:
    assert not {"lambda_kl", "classify_samples"} & Recipe().identity().keys()
    assert Recipe(classify_samples=3).identity()["classify_samples"] == 3
