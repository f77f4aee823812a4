"""Temperature scaling against logits and against a search over a grid."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.metrics import log_loss

from pdml.inference.temperature import fit_temperature, tempered


def overconfident(n: int = 600) -> tuple[torch.Tensor, torch.Tensor]:
    """Classes drawn from a softmax, and the softmax of three times its logits."""
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 2, (n, 4))
    honest = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    classes = np.array([rng.choice(4, p=p) for p in honest])
    return torch.from_numpy(classes), torch.from_numpy(3 * logits).softmax(dim=1)


def test_a_temperature_divides_the_logits() -> None:
    logits = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(tempered(logits.softmax(1), 2.5), (logits / 2.5).softmax(1))


def test_probabilities_that_are_zero_stay_finite() -> None:
    found = tempered(torch.tensor([[1.0, 0.0, 0.0]]), 3.0)
    assert torch.isfinite(found).all()
    torch.testing.assert_close(found.sum(1), torch.ones(1))


def test_the_order_of_classes_stays() -> None:
    probability = torch.rand(100, 5, generator=torch.Generator().manual_seed(0)).softmax(1)
    assert torch.equal(tempered(probability, 4.0).argsort(1), probability.argsort(1))


def test_the_fit_finds_by_how_much_logits_were_exaggerated_and_the_best_of_a_grid() -> None:
    classes, probability = overconfident()
    found = fit_temperature(classes, probability)
    assert found == pytest.approx(3, rel=0.2)
    grid = np.geomspace(1, 9, 400)
    losses = [
        log_loss(classes, tempered(probability, float(t)).numpy(), labels=range(4)) for t in grid
    ]
    assert found == pytest.approx(grid[int(np.argmin(losses))], rel=0.01)


def test_timid_probabilities_are_sharpened_but_not_where_there_is_no_mistake() -> None:
    probability = torch.tensor([[0.6, 0.4]] * 10)
    classes = torch.tensor([0] * 9 + [1])
    found = fit_temperature(classes, probability)
    assert found is not None
    # 9 of 10 are right: the logit log(0.6 / 0.4) / T should be log(9).
    assert found == pytest.approx(np.log(1.5) / np.log(9), rel=1e-3)
    assert fit_temperature(classes[:9], probability[:9]) == pytest.approx(1, rel=1e-3)


def test_without_pixels_none_is_fitted() -> None:
    assert fit_temperature(torch.zeros(0, dtype=torch.long), torch.zeros(0, 3)) is None
