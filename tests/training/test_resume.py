"""A run that was interrupted and taken up again equals one that was left alone, bit for bit."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from pdml.errors import InvalidInputError, UnreadableFileError
from pdml.patches.source import PatchSource
from pdml.splits.split import Split
from pdml.training import loop
from pdml.training.checkpoint import load_tensors, save_tensors
from pdml.training.history import Row, read_history
from pdml.training.loop import Trained, train
from pdml.training.recipe import Recipe
from pdml.training.stored_state import CHECKPOINT, HISTORY
from tests.training import killable_run
from tests.training.tiny import GAUSSIAN, PLAIN, scene_and_split

Tiny = tuple[PatchSource, Split]

CHANGED_PATCHES = {
    "band_dropout": 0.1, "band_stretch": 0.2, "illumination": 0.05, "shading": 0.02, "tilt": 0.02,
    "smooth_noise": 0.1, "same_class_mixing": 0.3, "mixup": 0.2, "border_mixing": 0.5,
    "neighbour_dropout": 0.2, "known_neighbours": "hidden", "class_balance": 0.5,
    "label_smoothing": 0.1, "classifier_form": "cosine", "average_symmetries": True,
}  # fmt: skip
RECIPES = {
    "pdml, AdamW": GAUSSIAN,
    "plain, AdamW, dropout": PLAIN,
    "pdml, RMSProp": GAUSSIAN.changed({"optimiser": "rmsprop", "schedule": "constant"}),
    "plain, RMSProp": PLAIN.changed({"optimiser": "rmsprop"}),
    "pdml, averaged": GAUSSIAN.changed({"averaging": 0.9, "spectral_noise": 0.1}),
    "plain, averaged": PLAIN.changed({"averaging": 0.9, "select": "last"}),
    "pdml, SGD, per class": GAUSSIAN.changed(
        {"optimiser": "sgd", "per_class": 4, "batch_size": 8, "gradient_clip": 1.0}
    ),
    "drawn triplets, two Gaussians, attention": GAUSSIAN.changed(
        {"metric": "triplet", "n_gaussians": 2, "attention": "se"}
    ),
    "drawn margins of means": GAUSSIAN.changed({"metric": "margin", "embed_with": "mean"}),
    "a loss with weights": GAUSSIAN.changed({"metric": "softmax", "averaging": 0.9}),
    "all that changes patches": GAUSSIAN.changed(CHANGED_PATCHES),
    "consistency, class means": GAUSSIAN.changed(
        {
            "averaging": 0.9,
            "lambda_consistency": 5.0,
            "unlabelled": "scene",
            "least_steps": 25,
            "classifier_form": "class_mean",
            "feature_dropout": 0.2,
            "warm_up": 0.2,
            "illumination": 0.1,
        }
    ),
}


class InterruptedRunError(Exception):
    """Stands for whatever ends a run."""


@pytest.fixture(autouse=True)
def a_checkpoint_after_each_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "SECONDS_BETWEEN_CHECKPOINTS", 0.0)


def interrupt_after(epoch: int) -> Any:
    def on_epoch(row: Row) -> None:
        if row["epoch"] == epoch:
            raise InterruptedRunError

    return on_epoch


def without_times(rows: list[Row]) -> list[Row]:
    return [{name: row[name] for name in row if "seconds" not in name} for row in rows]


def require_same(resumed: Trained, whole: Trained) -> None:
    for ours, theirs in ((resumed.model, whole.model), (resumed.untrained, whole.untrained)):
        weights = theirs.state_dict()
        for name, value in ours.state_dict().items():
            assert torch.equal(value, weights[name]), name
    assert without_times(resumed.history) == without_times(whole.history)
    assert resumed.best_epoch == whole.best_epoch


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES.keys())
def test_an_interrupted_run_ends_as_one_that_was_left_alone(
    tiny: Tiny, recipe: Recipe, tmp_path: Path
) -> None:
    whole = train(*tiny, recipe, seed=1, folder=tmp_path / "whole")
    folder = tmp_path / "interrupted"
    for epoch in (1, 3):
        torch.rand(epoch)  # whatever the process has drawn before must not matter
        with pytest.raises(InterruptedRunError):
            train(
                *tiny, recipe,
                seed=1, folder=folder, resume=True, on_epoch=interrupt_after(epoch),
            )  # fmt: skip
    resumed = train(*tiny, recipe, seed=1, folder=folder, resume=True)
    require_same(resumed, whole)
    stored, expected = (load_tensors(tmp_path / run / CHECKPOINT)[0] for run in
                        ("interrupted", "whole"))  # fmt: skip
    assert stored.keys() == expected.keys()
    for name, value in stored.items():
        assert torch.equal(value, expected[name]), name


def test_a_resumed_run_reports_the_earlier_epochs_too(tiny: Tiny, tmp_path: Path) -> None:
    with pytest.raises(InterruptedRunError):
        train(*tiny, GAUSSIAN, folder=tmp_path, on_epoch=interrupt_after(2))
    rows: list[Row] = []
    resumed = train(*tiny, GAUSSIAN, folder=tmp_path, resume=True, on_epoch=rows.append)
    assert [row["epoch"] for row in rows] == [1, 2, 3, 4]
    assert read_history(tmp_path / HISTORY) == rows == resumed.history


def test_a_finished_run_that_is_resumed_trains_no_further(tiny: Tiny, tmp_path: Path) -> None:
    whole = train(*tiny, GAUSSIAN, folder=tmp_path)
    before = (tmp_path / CHECKPOINT).read_bytes()
    resumed = train(*tiny, GAUSSIAN, folder=tmp_path, resume=True)
    require_same(resumed, whole)
    assert resumed.history == whole.history
    assert (tmp_path / CHECKPOINT).read_bytes() == before


def test_a_run_that_ends_between_history_and_checkpoint_is_taken_up(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train(*tiny, GAUSSIAN)
    with pytest.raises(InterruptedRunError):
        train(*tiny, GAUSSIAN, folder=tmp_path, on_epoch=interrupt_after(3))
    with monkeypatch.context() as patch:
        patch.setattr("pdml.training.stored_state.save_tensors", interrupted)
        with pytest.raises(InterruptedRunError):
            train(*tiny, GAUSSIAN, folder=tmp_path, resume=True)
    resumed = train(*tiny, GAUSSIAN, folder=tmp_path, resume=True)
    require_same(resumed, whole)
    assert read_history(tmp_path / HISTORY) == resumed.history


def interrupted(*_: object) -> None:
    raise InterruptedRunError


def test_resuming_where_there_is_nothing_starts_afresh(tiny: Tiny, tmp_path: Path) -> None:
    require_same(
        train(*tiny, PLAIN, folder=tmp_path / "new", resume=True),
        train(*tiny, PLAIN),
    )


@pytest.mark.parametrize(
    ("changes", "seed", "message"),
    [
        ({"epochs": 9}, 0, "epochs was 1, now it is 9; leave out what changed"),
        ({"learning_rate": 1.0}, 0, "learning_rate was 0.002, now it is 1.0;"),
        ({}, 7, "seed was 0, now it is 7;"),
    ],
)
def test_another_recipe_or_seed_is_refused_with_what_differs(
    tiny: Tiny, tmp_path: Path, changes: dict[str, Any], seed: int, message: str
) -> None:
    recipe = GAUSSIAN.changed({"epochs": 1})
    train(*tiny, recipe, folder=tmp_path)
    other = recipe.changed(changes)
    with pytest.raises(InvalidInputError, match=f"with the recipe that it was .*: {message}"):
        train(*tiny, other, seed=seed, folder=tmp_path, resume=True)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"n_classes": 5}, r"classifier\.linear\.weight was of shape \(3, 54\), now it is \(5, "),
        ({"n_bands": 40}, r"backbone\.spanning\.weight was of shape \(8, 48\), now it is \(8, 68"),
    ],
)
def test_another_scene_is_refused_with_what_differs(
    tiny: Tiny, tmp_path: Path, sizes: dict[str, int], message: str
) -> None:
    recipe = GAUSSIAN.changed({"epochs": 1, "classifier": "map"})
    train(*tiny, recipe, folder=tmp_path)
    with pytest.raises(InvalidInputError, match=f"bands and classes .* weight {message}"):
        train(*scene_and_split(**sizes), recipe, folder=tmp_path, resume=True)


def test_a_truncated_checkpoint_is_refused(tiny: Tiny, tmp_path: Path) -> None:
    recipe = GAUSSIAN.changed({"epochs": 1})
    train(*tiny, recipe, folder=tmp_path)
    whole = (tmp_path / CHECKPOINT).read_bytes()
    (tmp_path / CHECKPOINT).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UnreadableFileError, match="must be a complete safetensors file"):
        train(*tiny, recipe, folder=tmp_path, resume=True)


def test_a_checkpoint_of_another_kind_is_refused(tiny: Tiny, tmp_path: Path) -> None:
    trained = train(*tiny, GAUSSIAN.changed({"epochs": 1}), folder=tmp_path)
    save_tensors(tmp_path / CHECKPOINT, trained.model.state_dict(), {"spec": {}})
    message = "must be a checkpoint that pdml wrote, but it says nothing of epoch, .*; copy it agai"
    for precision in ("32", "auto"):
        recipe = GAUSSIAN.changed({"epochs": 1, "precision": precision})
        with pytest.raises(UnreadableFileError, match=message):
            train(*tiny, recipe, folder=tmp_path, resume=True)


@pytest.mark.parametrize("lost", ["model/classifier.linear.weight", "optimiser/0/exp_avg"])
def test_a_checkpoint_that_lacks_tensors_is_refused(lost: str, tiny: Tiny, tmp_path: Path) -> None:
    recipe = GAUSSIAN.changed({"epochs": 1})
    train(*tiny, recipe, folder=tmp_path)
    tensors, about = load_tensors(tmp_path / CHECKPOINT)
    del tensors[lost]
    save_tensors(tmp_path / CHECKPOINT, tensors, about)
    with pytest.raises(UnreadableFileError, match=f"lacks 1 tensors, the first is {lost}; copy"):
        train(*tiny, recipe, folder=tmp_path, resume=True)


def test_a_checkpoint_whose_parts_do_not_fit_is_refused_in_one_line(
    tiny: Tiny, tmp_path: Path
) -> None:
    recipe = GAUSSIAN.changed({"epochs": 1})
    train(*tiny, recipe, folder=tmp_path)
    tensors, about = load_tensors(tmp_path / CHECKPOINT)
    tensors["generator/order"] = tensors["generator/order"][:5]
    save_tensors(tmp_path / CHECKPOINT, tensors, about)
    with pytest.raises(UnreadableFileError, match="it cannot be taken up: ") as refusal:
        train(*tiny, recipe, folder=tmp_path, resume=True)
    assert "\n" not in str(refusal.value)


def test_a_resumed_run_keeps_the_precision_that_auto_meant(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = GAUSSIAN.changed({"precision": "auto"})
    whole = train(*tiny, GAUSSIAN.changed({"precision": "bf16"}))
    measured = iter(["bf16"])  # on a machine that would measure something else when resuming
    monkeypatch.setattr("pdml.training.precision._measured", {})
    monkeypatch.setattr("pdml.training.precision._faster", lambda *_: next(measured, "32"))
    with pytest.raises(InterruptedRunError):
        train(*tiny, recipe, folder=tmp_path, on_epoch=interrupt_after(2))
    assert load_tensors(tmp_path / CHECKPOINT)[1]["recipe"]["precision"] == "bf16"
    require_same(train(*tiny, recipe, folder=tmp_path, resume=True), whole)


def test_a_run_of_before_there_was_an_ingredient_goes_on(tiny: Tiny, tmp_path: Path) -> None:
    recipe = GAUSSIAN.changed({"epochs": 2})
    with pytest.raises(InterruptedRunError):
        train(*tiny, recipe, folder=tmp_path, on_epoch=interrupt_after(1))
    tensors, about = load_tensors(tmp_path / CHECKPOINT)
    del about["recipe"]["mixup"], about["recipe"]["known_neighbours"]
    save_tensors(tmp_path / CHECKPOINT, tensors, about)
    require_same(train(*tiny, recipe, folder=tmp_path, resume=True), train(*tiny, recipe))


@pytest.fixture
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def kill_at_a_random_moment(folder: Path) -> int:
    """Starts the run, kills it some time after it has saved, and tells how it ended."""
    command = [sys.executable, "-m", "tests.training.killable_run", str(folder)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root) as process:
        given_up = time.monotonic() + 30
        while not (folder / CHECKPOINT).exists() and process.poll() is None:
            if time.monotonic() > given_up:
                break
            time.sleep(0.002)
        time.sleep(random.uniform(0, 0.4))
        os.kill(process.pid, signal.SIGKILL)
        return process.wait()


@pytest.mark.usefixtures("one_thread")
def test_a_run_that_was_killed_ends_as_one_that_was_left_alone(tmp_path: Path) -> None:
    assert kill_at_a_random_moment(tmp_path) == -signal.SIGKILL
    epoch = load_tensors(tmp_path / CHECKPOINT)[1]["epoch"]
    assert 0 < epoch < killable_run.RECIPE.epochs
    require_same(killable_run.run(tmp_path), killable_run.run(None))
