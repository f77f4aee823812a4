"""What is said about a run becomes a plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdml.errors import InvalidInputError
from pdml.experiments.plan import RunRequest, default_folder, plan_run, requested_recipe
from pdml.training.recipe import Recipe, load_recipe


@pytest.mark.parametrize(
    ("request_", "folder"),
    [
        (RunRequest(scene="ksc"), "runs/ksc-default-seed0"),
        (RunRequest(scene="a/b/field.mat", recipe="x/my.toml", seed=7), "runs/field-my-seed7"),
    ],
)
def test_a_run_that_was_not_told_where_goes_under_its_own_name(
    request_: RunRequest, folder: str
) -> None:
    assert default_folder(request_) == Path(folder)


def test_without_a_scene_the_folder_must_be_named() -> None:
    with pytest.raises(InvalidInputError, match="say --out DIR, or name the scene"):
        default_folder(RunRequest())


def test_a_plan_holds_what_was_asked_for(place: Path) -> None:
    request = RunRequest(
        scene="cube.npy",
        labels="gt.npy",
        settings={"epochs": "3", "precision": "32"},
        seed=4,
    )
    plan = plan_run(request)
    assert plan.recipe == load_recipe("default").changed({"epochs": 3, "precision": "32"})
    assert (plan.seed, plan.split.how["seed"]) == (4, 4)
    assert plan.subject.scene.shape == (6, 6, 8)
    assert plan.command == ""


def test_what_auto_meant_once_it_means_again() -> None:
    recipe = Recipe(precision="auto")
    assert requested_recipe(recipe, {}, precision="bf16").precision == "bf16"
    assert requested_recipe(recipe, {"precision": "32"}, precision="bf16").precision == "32"
