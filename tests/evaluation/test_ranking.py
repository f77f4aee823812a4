"""The area under the curve against scikit-learn and a loop over pairs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from pdml.evaluation.ranking import auroc


def test_it_agrees_with_scikit_learn_and_with_a_loop_over_pairs_with_ties() -> None:
    rng = np.random.default_rng(0)
    score, positive = rng.integers(0, 8, 60).astype(float), rng.random(60) < 0.3
    pairs = [(p > n) + 0.5 * (p == n) for p in score[positive] for n in score[~positive]]
    assert auroc(score, positive) == pytest.approx(np.mean(pairs))
    assert auroc(score, positive) == pytest.approx(roc_auc_score(positive, score))


def test_infinite_scores_are_the_most_doubtful() -> None:
    assert auroc(np.array([1.0, np.inf]), np.array([False, True])) == 1


@pytest.mark.parametrize("positive", [True, False])
def test_it_is_not_defined_for_one_kind_alone(positive: bool) -> None:
    assert auroc(np.arange(3.0), np.full(3, positive)) is None
