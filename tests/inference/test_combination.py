"""The combined score against scikit-learn and by what it must not do."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from pdml.inference.combination import Combination, fit_combination, logistic_weights


def mistakes(n: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    """Two inputs that make mistakes likelier and one that has nothing to do with them."""
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(n, 3))
    chance = 1 / (1 + np.exp(-(1.5 * inputs[:, 0] + 0.7 * inputs[:, 1] - 1)))
    return inputs, rng.random(n) < chance


def test_weights_agree_with_scikit_learn_where_all_are_positive() -> None:
    inputs, wrong = mistakes()
    weights, intercept = logistic_weights(inputs[:, :2], wrong)
    free = LogisticRegression(C=1e6).fit(inputs[:, :2], wrong)
    np.testing.assert_allclose(weights, free.coef_[0], rtol=0.01)
    assert intercept == pytest.approx(free.intercept_[0], rel=0.01)


def test_a_score_that_falls_with_mistakes_counts_nothing_instead_of_less_than_nothing() -> None:
    inputs, wrong = mistakes()
    weights, _ = logistic_weights(np.stack([inputs[:, 0], -inputs[:, 1]], axis=1), wrong)
    assert weights[0] > 1
    assert weights[1] == 0


def as_scores() -> tuple[dict[str, torch.Tensor], torch.Tensor]:
    inputs, wrong = mistakes()
    names = ("a", "b", "c")
    scores = {name: torch.from_numpy(np.exp(inputs[:, k])) for k, name in enumerate(names)}
    return scores, torch.from_numpy(wrong)


def test_the_result_is_the_probability_of_a_mistake() -> None:
    scores, wrong = as_scores()
    combined = fit_combination(scores, wrong)
    assert combined.fitted
    found = combined.apply(scores)
    assert float(found.mean()) == pytest.approx(float(wrong.double().mean()), abs=1e-3)
    unsure = found > 0.5
    assert float(wrong[unsure].double().mean()) == pytest.approx(
        float(found[unsure].mean()), abs=0.03
    )


def test_more_doubt_of_one_kind_never_lowers_the_whole() -> None:
    scores, wrong = as_scores()
    combined = fit_combination(scores, wrong)
    for name in scores:
        more = combined.apply({**scores, name: 2 * scores[name]})
        assert (more >= combined.apply(scores)).all()


def test_with_few_mistakes_all_scores_count_alike() -> None:
    scores, _ = as_scores()
    wrong = torch.zeros(4000, dtype=torch.bool)
    wrong[:9] = True
    combined = fit_combination(scores, wrong)
    assert not combined.fitted
    assert combined.weights == pytest.approx([1 / 3] * 3)
    logs = np.stack([np.log(score.numpy()) for score in scores.values()], axis=1)
    mean = ((logs - logs.mean(axis=0)) / logs.std(axis=0)).mean(axis=1)
    np.testing.assert_allclose(combined.apply(scores), 1 / (1 + np.exp(-mean)), rtol=1e-6)


def test_a_score_that_is_the_same_everywhere_or_infinite_does_no_harm() -> None:
    scores, wrong = as_scores()
    scores["constant"] = torch.ones(4000)
    scores["infinite"] = torch.full((4000,), torch.inf)
    scores["none"] = torch.zeros(4000)
    found = fit_combination(scores, wrong).apply(scores)
    assert torch.isfinite(found).all()


def test_it_is_read_back_as_it_was_written() -> None:
    scores, wrong = as_scores()
    combined = fit_combination(scores, wrong)
    assert Combination.from_dict(combined.to_dict()) == combined
