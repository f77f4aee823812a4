"""The losses that pytorch-metric-learning computes, and what happens without it."""

from __future__ import annotations

import sys

import pytest
import torch

from pdml.errors import InvalidInputError, MissingExtraError
from pdml.losses.metric.contrastive import Contrastive
from pdml.losses.metric.margin import Margin
from pdml.losses.metric.multi_similarity import MultiSimilarity
from pdml.losses.metric.n_pair import NPair
from pdml.losses.metric.softmax import Softmax
from pdml.losses.metric_loss import METRIC_LOSSES


@pytest.mark.parametrize("name", ["margin", "multi_similarity", "n_pair"])
def test_without_the_library_the_extra_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = METRIC_LOSSES.get(name)
    for module in ("losses", "miners", "distances", "regularizers"):
        monkeypatch.setitem(sys.modules, f"pytorch_metric_learning.{module}", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pdml\[metric\]'"):
        kind()


@pytest.mark.parametrize("kind", [Margin, MultiSimilarity])
def test_large_batches_are_thinned_out(kind: type[Margin] | type[MultiSimilarity]) -> None:
    torch.manual_seed(0)
    samples = torch.randn(30, 3, 4, requires_grad=True)
    loss = kind(most_points=40)(samples, torch.arange(30) % 3)
    (gradient,) = torch.autograd.grad(loss, samples)
    assert 0 < int(gradient.abs().sum(-1).gt(0).sum()) <= 40


def test_options_out_of_bounds_are_refused() -> None:
    for build in (
        lambda: NPair(rounds=0),
        lambda: Margin(most_points=0),
        lambda: MultiSimilarity(base=-1),
        lambda: Contrastive(margin=0),
        lambda: Softmax(n_features=0, n_classes=3),
    ):
        with pytest.raises(InvalidInputError, match="of a metric loss must be above 0, got"):
            build()
