"""The sum of the terms, what each depends on, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from pdml.embeddings.gaussian import GaussianEmbedding
from pdml.errors import InvalidInputError, UnknownNameError
from pdml.losses.lap_variance import lap_variance
from pdml.losses.objective import Objective

LABELS = torch.tensor([0, 1, 2, 1])


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def network_output(size: int = 3) -> tuple[GaussianEmbedding, Tensor]:
    """An embedding of four patches and the logits of three classes, all leaves of the graph."""
    generator = seeded(7)
    mean = torch.randn(4, size, size, 6, generator=generator).requires_grad_()
    log_variance = torch.randn(4, size, size, 6, generator=generator).sub_(2).requires_grad_()
    logits = torch.randn(4, 3, generator=generator).requires_grad_()
    return GaussianEmbedding(mean, log_variance), logits


def test_the_total_is_the_weighted_sum_of_the_terms() -> None:
    objective = Objective(lambda_variance=0.5, lambda_pairs=2.0, lambda_classes=3.0)
    terms = objective(*network_output(), LABELS, generator=seeded())
    expected = 0.5 * terms.variance + 2 * terms.pairs + 3 * terms.classes
    torch.testing.assert_close(terms.total, expected)
    assert min(terms.variance.item(), terms.pairs.item(), terms.classes.item()) > 0


def test_each_term_is_what_its_own_file_computes() -> None:
    objective = Objective(alpha=0.4, lap_form="log")
    embedding, logits = network_output()
    terms = objective(embedding, logits, LABELS, generator=seeded())
    samples = embedding.sample(3, generator=seeded()).reshape(36, 3, 6)
    pixel_labels = torch.tensor([label for label in LABELS.tolist() for _ in range(9)])
    torch.testing.assert_close(terms.pairs, objective.metric(samples, pixel_labels))
    torch.testing.assert_close(terms.classes, cross_entropy(logits, LABELS))
    log_variance = embedding.require_log_variance()
    torch.testing.assert_close(terms.variance, lap_variance(log_variance, alpha=0.4, form="log"))


def test_a_loss_with_weights_is_built_for_the_embedding_and_its_classes() -> None:
    objective = Objective(metric="softmax", n_features=6, n_classes=3)
    assert [tuple(p.shape) for p in objective.parameters()] == [(3, 6), (3,)]
    terms = objective(*network_output(), LABELS, generator=seeded())
    assert torch.isfinite(terms.total)
    with pytest.raises(InvalidInputError, match="n_features of a metric loss must be above 0"):
        Objective(metric="softmax")


@pytest.mark.parametrize(
    ("metric", "option", "known"),
    [
        ("triplet", "samplin", "did you mean 'sampling'"),
        ("softmax", "n_classes", "unknown option of softmax 'n_classes'"),
        ("probabilistic_contrastive", "balanc", "did you mean 'balance'"),
    ],
)
def test_an_option_that_a_loss_does_not_have_is_refused(
    metric: str, option: str, known: str
) -> None:
    with pytest.raises(UnknownNameError, match=known):
        Objective(metric=metric, metric_options={option: 1.0}, n_features=6, n_classes=3)


def test_the_sums_of_the_paper_are_the_means_times_what_they_divide_by() -> None:
    outputs = network_output(size=5)
    mean = Objective(reduction="mean")(*outputs, LABELS, generator=seeded())
    paper = Objective(reduction="paper")(*outputs, LABELS, generator=seeded())
    torch.testing.assert_close(paper.classes, 4 * mean.classes)
    torch.testing.assert_close(paper.variance, 2 * mean.variance)
    torch.testing.assert_close(paper.pairs, mean.pairs * (100 - 1) / 2)


def test_the_same_generator_gives_the_same_bits() -> None:
    objective, outputs = Objective(), network_output()
    first, second, other = (
        objective(*outputs, LABELS, generator=seeded(seed)).pairs.item() for seed in (1, 1, 2)
    )
    assert first == second != other


def test_means_need_no_samples() -> None:
    objective = Objective(embed_with="mean")
    embedding, logits = network_output()
    point_like = GaussianEmbedding(embedding.mean, torch.full_like(embedding.mean, -60.0))
    sampled = Objective()(point_like, logits, LABELS, generator=seeded())
    got = objective(embedding, logits, LABELS, generator=seeded())
    torch.testing.assert_close(got.pairs, sampled.pairs)


def test_the_classifier_learns_from_the_cross_entropy_only_and_the_variance_from_the_rest() -> None:
    embedding, logits = network_output()
    terms = Objective()(embedding, logits, LABELS, generator=seeded())
    log_variance = embedding.require_log_variance()
    both = (logits, log_variance)
    from_classes: Sequence[Tensor | None] = torch.autograd.grad(
        terms.classes, both, retain_graph=True, allow_unused=True
    )
    from_rest: Sequence[Tensor | None] = torch.autograd.grad(
        terms.pairs + terms.variance, both, allow_unused=True
    )
    assert from_classes[0] is not None
    assert from_classes[1] is None
    assert from_rest[0] is None
    assert from_rest[1] is not None


def test_a_term_without_weight_is_zero_and_does_not_touch_the_generator() -> None:
    objective = Objective(lambda_pairs=0, lambda_variance=0)
    generator = seeded()
    before = generator.get_state()
    terms = objective(*network_output(), LABELS, generator=generator)
    assert terms.pairs.item() == terms.variance.item() == 0
    assert terms.total.item() == terms.classes.item()
    assert torch.equal(generator.get_state(), before)


def test_the_cross_entropy_alone_works_on_a_point_embedding() -> None:
    objective = Objective(lambda_pairs=0, lambda_variance=0)
    embedding, logits = network_output()
    point = GaussianEmbedding(embedding.mean)
    objective.start(point)
    terms = objective(point, logits, LABELS)
    torch.testing.assert_close(terms.total, cross_entropy(logits, LABELS))


@pytest.mark.parametrize("weights", [{"lambda_pairs": 0.0}, {"lambda_variance": 0.0}])
def test_a_term_that_needs_a_variance_refuses_a_point_embedding(weights: dict[str, float]) -> None:
    embedding, logits = network_output()
    with pytest.raises(InvalidInputError, match="got a point embedding"):
        Objective(**weights)(GaussianEmbedding(embedding.mean), logits, LABELS)  # type: ignore[arg-type]


def test_a_patch_of_one_pixel_has_no_variance_term() -> None:
    terms = Objective()(*network_output(size=1), LABELS, generator=seeded())
    assert terms.variance.item() == 0
    assert terms.pairs.item() > 0


def test_a_network_in_bfloat16_has_its_objective_in_float32() -> None:
    embedding, logits = network_output()
    log_variance = embedding.require_log_variance().detach().bfloat16()
    coarse = GaussianEmbedding(embedding.mean.detach().bfloat16(), log_variance)
    same = GaussianEmbedding(coarse.mean.float(), log_variance.float())
    scores = logits.detach().bfloat16()
    objective = Objective()
    with torch.autocast("cpu", torch.bfloat16):
        terms = objective(coarse, scores, LABELS, generator=seeded())
    expected = objective(same, scores.float(), LABELS, generator=seeded())
    assert terms.total.dtype == torch.float32
    assert terms.total.item() == expected.total.item()


def test_float64_stays_float64() -> None:
    embedding, logits = network_output()
    double = GaussianEmbedding(embedding.mean.double(), embedding.require_log_variance().double())
    terms = Objective()(double, logits.double(), LABELS, generator=seeded())
    assert terms.total.dtype == torch.float64


def test_the_start_sets_the_parameters_of_the_metric_loss_from_the_samples() -> None:
    objective, expected = Objective(), Objective().metric
    embedding, _ = network_output()
    objective.start(embedding, generator=seeded(5))
    expected.start(embedding.sample(3, generator=seeded(5)).flatten(0, 2))
    assert objective.metric.state_dict() == expected.state_dict()
    assert objective.metric.state_dict()["b"].item() != 0


def test_options_reach_the_metric_loss() -> None:
    objective = Objective(metric_options={"balance": "posneg"})
    outputs = network_output()
    balanced = objective(*outputs, LABELS, generator=seeded()).pairs
    assert balanced.item() != Objective()(*outputs, LABELS, generator=seeded()).pairs.item()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"metric": "probabilistic"}, "unknown loss 'probabilistic'; did you mean"),
        ({"lap_form": "logs"}, "unknown lap form 'logs'; did you mean 'log'"),
        ({"reduction": "sum"}, "unknown reduction 'sum'; known: mean, paper"),
        ({"embed_with": "means"}, "unknown choice of embed_with 'means'; did you mean 'mean'"),
    ],
)
def test_an_unknown_name_is_refused(option: dict[str, str], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        Objective(**option)  # type: ignore[arg-type]


@pytest.mark.parametrize("option", [{"lambda_pairs": -1.0}, {"lambda_pairs": float("nan")}])
def test_a_weight_below_zero_is_refused(option: dict[str, float]) -> None:
    with pytest.raises(InvalidInputError, match="must not be negative and one must be positive"):
        Objective(**option)  # type: ignore[arg-type]


def test_an_objective_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="one must be positive, got lambda_variance = 0"):
        Objective(lambda_variance=0, lambda_pairs=0, lambda_classes=0)


def test_an_objective_without_samples_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="n_samples must be at least 1, got 0; try 3"):
        Objective(n_samples=0)


def test_labels_of_another_batch_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="same patches, got 4, 4 and 3"):
        Objective()(*network_output(), LABELS[:3])


def test_smoothing_weights_and_mixed_targets_are_those_of_the_cross_entropy() -> None:
    weights = (0.5, 1.0, 2.0)
    objective = Objective(lambda_pairs=0, label_smoothing=0.1, class_weights=weights)
    embedding, logits = network_output()
    log_p = logits.log_softmax(dim=1)
    total, weight = torch.zeros(()), 0.0
    for row, label in zip(log_p, LABELS.tolist(), strict=True):
        total = total - 0.9 * weights[label] * row[label]
        total = total - 0.1 / 3 * sum(weights[k] * row[k] for k in range(3))
        weight += weights[label]
    found = objective(embedding, logits, LABELS, generator=seeded()).classes
    torch.testing.assert_close(found, total / weight)
    targets = torch.tensor([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.2, 0.0, 0.8], [0.0, 1.0, 0.0]])
    mixed = Objective(lambda_pairs=0)(
        embedding, logits, LABELS, generator=seeded(), targets=targets
    )
    torch.testing.assert_close(mixed.classes, -(targets * log_p).sum(dim=1).mean())
    assert objective.state_dict().keys() == Objective().state_dict().keys()


def test_pixels_keep_the_classes_that_are_given_and_those_below_0_are_left_out() -> None:
    objective = Objective(embed_with="mean")
    embedding, logits = network_output()
    pixel_classes = LABELS[:, None, None].repeat(1, 3, 3)
    alike = objective(embedding, logits, LABELS, generator=seeded())
    same = objective(
        embedding, logits, LABELS, generator=seeded(), pixel_classes=pixel_classes.clone()
    )
    assert torch.equal(alike.pairs, same.pairs)
    pixel_classes[0, 0] = 2
    pixel_classes[1, :, 1] = -1
    found = objective(
        embedding, logits, LABELS, generator=seeded(), pixel_classes=pixel_classes
    ).pairs
    kept = pixel_classes >= 0
    torch.testing.assert_close(
        found, objective.metric(embedding.mean[kept][:, None], pixel_classes[kept])
    )
    assert not torch.allclose(found, alike.pairs)


def test_classes_of_pixels_that_have_no_place_in_the_map_are_refused() -> None:
    embedding, logits = network_output(size=1)
    with pytest.raises(InvalidInputError) as error:
        Objective()(embedding, logits, LABELS, pixel_classes=torch.zeros(4, 3, 3).long())
    assert str(error.value) == (
        "classes of pixels need a map that has the size of the patch, got patches of (3, 3) pixels "
        "and a map of (1, 1); choose a network that keeps the size, or known_neighbours = "
        "'as_centre' and border_mixing = 0"
    )
