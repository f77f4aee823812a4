"""Which epoch is kept, worked out from predictions that are made up."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from pdml.embeddings.model import Model
from pdml.embeddings.prediction import Prediction
from pdml.errors import DivergedError
from pdml.patches.source import PatchSource
from pdml.scenes.labels import LabelledPixels
from pdml.splits.split import Split
from pdml.training import monitor
from pdml.training.history import Row
from pdml.training.recipe import Recipe
from pdml.training.state import TrainingState, new_state
from tests.training.tiny import GAUSSIAN, spec_for

Tiny = tuple[PatchSource, Split]


def made_up(truth: LabelledPixels, n_right: int, probability: float) -> Prediction:
    """The first pixels right, the others wrong, the chosen class always as probable."""
    rows = torch.full((len(truth), 3), (1 - probability) / 2)
    for number, class_ in enumerate(truth.classes.tolist()):
        rows[number, class_ if number < n_right else (class_ + 1) % 3] = probability
    return Prediction(rows, torch.zeros(len(truth), 1), None)


def run_epochs(
    tiny: Tiny,
    monkeypatch: pytest.MonkeyPatch,
    validation: list[tuple[int, float]],
    test: list[int] | None = None,
) -> TrainingState:
    """Epochs whose validation (and test) predictions are scripted; weights carry the epoch."""
    source, split = tiny
    recipe = GAUSSIAN.changed({"watch_test": test is not None})
    state = new_state(spec_for(recipe), recipe, seed=0, device=torch.device("cpu"))
    answers = scripted(split, validation, test)
    monkeypatch.setattr(monitor, "predict_pixels", lambda *_, **__: next(answers))
    for epoch in range(1, len(validation) + 1):
        state.epoch = epoch
        bias_of(state.model).data.fill_(float(epoch))
        row: Row = {"epoch": epoch, "total": 1.0}
        monitor.score_epoch(state, row, source, split, recipe)
        state.history.append(row)
    return state


def scripted(
    split: Split, validation: list[tuple[int, float]], test: list[int] | None
) -> Iterator[Prediction]:
    for epoch, (n_right, probability) in enumerate(validation):
        yield made_up(split.validation, n_right, probability)
        if test is not None:
            yield made_up(split.test, test[epoch], 0.9)


def bias_of(model: Model) -> Tensor:
    return dict(model.named_parameters())["classifier.linear.bias"]


def test_scores_are_the_share_of_right_pixels_and_the_mean_log_likelihood(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = run_epochs(tiny, monkeypatch, [(24, 0.8)])
    row = state.history[0]
    assert row["validation_oa"] == pytest.approx(24 / 30)
    assert row["validation_nll"] == pytest.approx(-(24 * math.log(0.8) + 6 * math.log(0.1)) / 30)
    assert row["validation_seconds"] >= 0


@pytest.mark.parametrize(
    ("validation", "best"),
    [
        ([(10, 0.8), (25, 0.8), (20, 0.8)], 2),  # the highest accuracy
        ([(25, 0.7), (25, 0.8), (25, 0.9)], 2),  # among equals the best likelihood: 5 are wrong
        ([(30, 0.7), (30, 0.9), (30, 0.8)], 2),  # among equals the best likelihood: none is wrong
        ([(25, 0.8), (25, 0.8)], 1),  # among equals in both the first
        ([(10, 0.4), (11, 0.99)], 2),  # accuracy goes before likelihood
    ],
)
def test_the_best_epoch_is_kept_with_its_weights(
    validation: list[tuple[int, float]], best: int, tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = run_epochs(tiny, monkeypatch, validation)
    assert state.best_epoch == best
    assert bias_of(state.chosen("best")).unique().tolist() == [best]  # type: ignore[no-untyped-call]
    assert bias_of(state.chosen("last")).unique().tolist() == [len(validation)]  # type: ignore[no-untyped-call]


def test_test_pixels_are_watched_and_never_chosen_by(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_test = len(tiny[1].test)
    state = run_epochs(tiny, monkeypatch, [(25, 0.8), (20, 0.8)], test=[0, n_test])
    assert [row["test_oa_watched"] for row in state.history] == [0.0, 1.0]
    assert state.best_epoch == 1
    unwatched = run_epochs(tiny, monkeypatch, [(25, 0.8), (20, 0.8)])
    assert unwatched.best_epoch == 1
    assert "test_oa_watched" not in unwatched.history[0]


def test_without_validation_pixels_nothing_is_scored_and_the_last_epoch_is_kept(
    tiny: Tiny,
) -> None:
    source, split = tiny
    state = new_state(spec_for(GAUSSIAN), GAUSSIAN, seed=0, device=torch.device("cpu"))
    empty = Split(split.train, split.validation[:0], split.test, split.scene_shape, ("a", "b", "c"))
    row: Row = {"epoch": 1, "total": 1.0}
    state.epoch = 1
    monitor.score_epoch(state, row, source, empty, GAUSSIAN)
    assert row.keys() == {"epoch", "total", "validation_seconds"}
    assert state.best_epoch == 0
    assert torch.equal(bias_of(state.chosen("best")), bias_of(state.model))


@pytest.mark.parametrize("total", [math.nan, math.inf])
def test_a_loss_that_is_no_number_ends_the_run(total: float, tiny: Tiny) -> None:
    source, split = tiny
    recipe: Recipe = GAUSSIAN
    state = new_state(spec_for(recipe), recipe, seed=0, device=torch.device("cpu"))
    state.epoch = 7
    with pytest.raises(DivergedError, match=f"became {total} in epoch 7; try a lower learning_r"):
        monitor.score_epoch(state, {"total": total}, source, split, recipe)
