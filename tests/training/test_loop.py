"""Training on a tiny scene: it learns, it repeats itself, and it says what it did."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from pdml.embeddings.model import Model
from pdml.embeddings.predict import predict_pixels
from pdml.errors import DivergedError
from pdml.patches.source import PatchSource
from pdml.splits.split import Split
from pdml.training.fabric import make_fabric
from pdml.training.history import Row
from pdml.training.loop import Trained, train
from pdml.training.recipe import Recipe
from tests.training.tiny import GAUSSIAN, PLAIN, spec_for

Tiny = tuple[PatchSource, Split]


def run(tiny: Tiny, recipe: Recipe, **options: Any) -> Trained:
    return train(*tiny, recipe, **options)


def equal(a: Trained, b: Trained) -> bool:
    ours, theirs = a.model.state_dict(), b.model.state_dict()
    return all(torch.equal(ours[name], theirs[name]) for name in ours)


def without_times(rows: list[Row]) -> list[Row]:
    return [{name: row[name] for name in row if "seconds" not in name} for row in rows]


@pytest.mark.parametrize(
    "recipe",
    [GAUSSIAN, PLAIN.changed({"dropout": 0.1}), GAUSSIAN.changed({"averaging": 0.9})],
    ids=["pdml", "plain", "averaged"],
)
def test_it_learns_to_tell_three_classes_apart(tiny: Tiny, recipe: Recipe) -> None:
    trained = run(tiny, recipe.changed({"epochs": 15, "learning_rate": 0.02}))
    source, split = tiny
    prediction = predict_pixels(trained.model, source, torch.from_numpy(split.test.indices))
    right = (prediction.classes.numpy() == split.test.classes).mean()
    assert right > 0.8
    assert trained.history[-1]["classes"] < 0.7 * trained.history[0]["classes"]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"per_class": 4, "batch_size": 8},
        {"spectral_noise": 0.1, "gradient_clip": 0.5, "kernel_l2": 1e-4},
        {"optimiser": "rmsprop", "schedule": "constant", "averaging": 0.9},
    ],
)
def test_the_same_seed_gives_the_same_bits(tiny: Tiny, changes: dict[str, Any]) -> None:
    recipe = GAUSSIAN.changed({"epochs": 2, **changes})
    first, again, other = (run(tiny, recipe, seed=seed) for seed in (1, 1, 2))
    assert equal(first, again)
    assert without_times(first.history) == without_times(again.history)
    assert not equal(first, other)


def test_the_callers_random_numbers_are_left_alone(tiny: Tiny) -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    run(tiny, PLAIN.changed({"epochs": 1}))
    assert torch.equal(torch.get_rng_state(), before)


def test_each_epoch_reports_its_row(tiny: Tiny) -> None:
    rows: list[Row] = []
    recipe = GAUSSIAN.changed({"epochs": 2, "learning_rate": 1e-3, "schedule": "constant"})
    trained = run(tiny, recipe, on_epoch=rows.append)
    assert rows == trained.history
    assert [row["epoch"] for row in rows] == [1, 2]
    assert all(row["learning_rate"] == 1e-3 for row in rows)
    assert rows[0].keys() == {
        "epoch", "learning_rate", "total", "pairs", "variance", "classes", "seconds",
        "validation_oa", "validation_nll", "validation_seconds",
    }  # fmt: skip
    for row in rows:
        assert row["total"] == pytest.approx(row["pairs"] + row["variance"] + row["classes"])


def test_watching_the_test_pixels_changes_nothing_but_the_rows(tiny: Tiny) -> None:
    unwatched = run(tiny, PLAIN)
    watched = run(tiny, PLAIN.changed({"watch_test": True}))
    assert equal(unwatched, watched)
    assert unwatched.best_epoch == watched.best_epoch
    assert all("test_oa_watched" in row for row in watched.history)


def test_the_best_or_the_last_epoch_is_kept(tiny: Tiny) -> None:
    source, split = tiny
    for select in ("best", "last"):
        trained = run(tiny, GAUSSIAN.changed({"epochs": 6, "select": select}))
        epoch = trained.best_epoch if select == "best" else 6
        prediction = predict_pixels(
            trained.model, source, torch.from_numpy(split.validation.indices)
        )
        right = (prediction.classes.numpy() == split.validation.classes).mean()
        assert right == pytest.approx(trained.history[epoch - 1]["validation_oa"])


def test_the_untrained_network_is_kept_as_it_was(tiny: Tiny) -> None:
    trained = run(tiny, GAUSSIAN)
    again = run(tiny, GAUSSIAN.changed({"epochs": 1}))
    ours, theirs = trained.untrained.state_dict(), again.untrained.state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    learnt = trained.model.state_dict()
    assert not torch.equal(ours["backbone.first.weight"], learnt["backbone.first.weight"])


def test_networks_without_a_weight_for_a_term_report_zero(tiny: Tiny) -> None:
    row = run(tiny, PLAIN.changed({"epochs": 1})).history[0]
    assert row["pairs"] == row["variance"] == 0
    assert row["total"] == row["classes"] > 0


def test_bfloat16_trains_with_weights_and_losses_in_32_bits(tiny: Tiny) -> None:
    recipe = GAUSSIAN.changed({"precision": "bf16", "epochs": 2})
    trained = run(tiny, recipe, fabric=make_fabric("cpu", "bf16"))
    assert {value.dtype for value in trained.model.state_dict().values()} == {torch.float32}
    exact = run(tiny, recipe.changed({"precision": "32"}))
    assert trained.history[0]["total"] == pytest.approx(exact.history[0]["total"], rel=0.05)


def test_without_fabric_the_recipe_decides_the_precision(tiny: Tiny) -> None:
    recipe = GAUSSIAN.changed({"precision": "bf16", "epochs": 2})
    ours, given = run(tiny, recipe), run(tiny, recipe, fabric=make_fabric("cpu", "bf16"))
    assert equal(ours, given)
    assert without_times(ours.history) == without_times(given.history)
    assert not equal(ours, run(tiny, recipe.changed({"precision": "32"})))


def test_the_total_counts_the_penalty_on_kernels(tiny: Tiny) -> None:
    changes = {"epochs": 1, "batch_size": 45, "learning_rate": 1e-30, "schedule": "constant"}
    recipe = GAUSSIAN.changed({**changes, "weight_decay": 0.0, "kernel_l2": 0.25})
    trained = run(tiny, recipe)
    row = trained.history[0]
    penalty = sum(
        float(value.detach().square().sum())
        for name, value in trained.untrained.named_parameters()
        if value.ndim > 1 and not name.startswith("classifier")
    )
    terms = row["pairs"] + row["variance"] + row["classes"]
    assert row["total"] == pytest.approx(terms + 0.25 * penalty)


@pytest.mark.parametrize("clip", [0.0, 1.0])
def test_a_run_that_blows_up_says_what_to_try(tiny: Tiny, clip: float) -> None:
    source, split = tiny
    broken = PatchSource.__new__(PatchSource)
    broken.__dict__.update(source.__dict__)
    broken.table = torch.full_like(source.table, torch.nan)
    recipe = PLAIN.changed({"gradient_clip": clip})
    with pytest.raises(DivergedError, match="became nan in epoch 1; try a lower learning_rate"):
        train(broken, split, recipe)


def test_clipped_gradients_move_weights_by_no_more_than_the_bound(tiny: Tiny) -> None:
    changes = {
        "optimiser": "sgd", "learning_rate": 1.0, "schedule": "constant", "weight_decay": 0.0,
        "epochs": 1, "batch_size": 45, "gradient_clip": 1e-3,
    }  # fmt: skip
    trained = run(tiny, PLAIN.changed({**changes, "select": "last"}))
    before = dict(trained.untrained.named_parameters())
    moved = [(value - before[name]).detach() for name, value in trained.model.named_parameters()]
    length = torch.cat([step.flatten() for step in moved]).square().sum().sqrt()
    # The first step with Nesterov momentum 0.9 is 1.9 times the gradient.
    assert float(length) == pytest.approx(1.9e-3, rel=1e-2)


def test_a_last_batch_of_one_pixel_is_trained_on_like_any_other(tiny: Tiny) -> None:
    scene, split = tiny
    recipe = GAUSSIAN.changed({"epochs": 1, "batch_size": 44, "averaging": 0.9})
    trained = train(scene, split, recipe)
    assert all(torch.isfinite(value).all() for value in trained.model.state_dict().values())
    spectrum = Model(spec_for(recipe.changed({"patch_size": 1}))).train()
    embedding, _ = spectrum(scene.pixels(torch.tensor([0]))[:, None, None])
    assert torch.isfinite(embedding.mean).all()
