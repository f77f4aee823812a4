"""Plans of sweeps: which runs there are, what tells them apart, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pdml.errors import InvalidInputError, MissingFileError, UnknownNameError
from pdml.experiments.subject import open_subject
from pdml.experiments.sweep.fingerprint import fingerprint
from pdml.experiments.sweep.job import Job
from pdml.experiments.sweep.plan import plan_sweep
from pdml.training.recipe import load_recipe
from tests.experiments.sweep.tiny_sweep import SETTINGS, tiny_request


def test_every_variant_has_every_seed_and_seeds_stay_together() -> None:
    plan = plan_sweep(tiny_request(n_seeds=2))
    order = [(job.seed, job.variant) for job in plan.jobs]
    assert order == [(0, "SSRN"), (0, "PDML"), (1, "SSRN"), (1, "PDML")]
    plain, ours = plan.jobs[0].recipe, plan.jobs[1].recipe
    assert (plain.head, ours.head) == ("point", "gaussian")
    assert (plain.learning_rate, plain.batch_size) == (ours.learning_rate, ours.batch_size)


def test_a_key_is_plain_and_changes_with_everything_that_matters() -> None:
    job = plan_sweep(tiny_request()).jobs[0]
    assert json.loads(json.dumps(job.key)) == job.key
    others = [
        replace(job, seed=1),
        replace(job, variant="PDML"),
        replace(job, experiment="maps"),
        replace(job, dataset="ksc"),
        replace(job, twin=True),
        replace(job, data="0"),
        replace(job, split={"strategy": "random", "train": 0.1, "validation": 0.1}),
        replace(job, recipe=job.recipe.changed({"learning_rate": 1e-3})),
    ]
    assert len({other.id for other in [job, *others]}) == len(others) + 1
    assert plan_sweep(tiny_request()).jobs[0].id == job.id


def test_keys_are_those_of_sweeps_that_were_begun_before_there_was_a_search() -> None:
    jobs = {job.variant: job for job in plan_sweep(replace(tiny_request(), recipe=None)).jobs}
    assert set(jobs["PDML"].key) == {
        "format", "pdml", "experiment", "variant", "dataset", "twin", "data", "split", "seed",
        "recipe",
    }  # fmt: skip
    recipe = load_recipe("paper").changed({"epochs": 1})
    job = Job("results", "PDML", "ksc", False, "0", {"strategy": "random"}, 0, recipe)
    assert job.id == "8a4ee725c100ed1b"


def test_the_share_that_trains_is_that_of_the_variant() -> None:
    jobs = plan_sweep(tiny_request("proportions")).jobs
    assert [job.split["train"] for job in jobs] == [0.01, 0.05, 0.1, 0.2]
    assert {job.split["validation"] for job in jobs} == {0.1}


def test_the_paper_s_recipe_is_taken_unless_another_is_named() -> None:
    plan = plan_sweep(replace(tiny_request(), recipe=None))
    assert (plan.manifest["recipe_name"], plan.manifest["recipe"]["epochs"]) == ("paper", 1)
    assert plan.manifest["recipe_epochs"] == 300


def test_some_variants_can_be_chosen_and_unknown_ones_are_refused() -> None:
    plan = plan_sweep(replace(tiny_request(), variants=("PDML",)))
    assert [job.variant for job in plan.jobs] == ["PDML"]
    with pytest.raises(UnknownNameError, match=r"unknown variant of 'results' 'PDLM'; did you"):
        plan_sweep(replace(tiny_request(), variants=("PDLM",)))


def test_a_variant_that_cannot_be_built_is_named_before_anything_runs() -> None:
    settings = {**SETTINGS, "metric": "no_such_loss"}
    with pytest.raises(InvalidInputError) as caught:
        plan_sweep(replace(tiny_request(), settings=settings))
    assert str(caught.value).startswith(
        "every variant of 'results' must be trainable, 'SSRN' is not: unknown loss 'no_such_loss'"
    )
    assert "naming the others with --variant" in str(caught.value)


def test_a_variant_that_needs_an_unknown_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from pdml.experiments.experiment import EXPERIMENTS, Experiment, Variant

    declared = Experiment("odd", "odd", "", (Variant("two", {"no_such_key": 2}),))
    monkeypatch.setattr(EXPERIMENTS, "_found", {"odd": lambda: declared})
    with pytest.raises(InvalidInputError, match=r"'two' is not: unknown recipe key 'no_such_key'"):
        plan_sweep(tiny_request("odd"))


def test_an_unknown_experiment_is_answered_with_all_that_there_are() -> None:
    with pytest.raises(UnknownNameError) as caught:
        plan_sweep(tiny_request("loses"))
    assert str(caught.value) == (
        "unknown experiment 'loses'; there are: architectures, gaussians, honest, lambdas, losses, "
        "maps, open_set, patches, proportions, recipe, results, samples, time, tsne"
    )


def test_scenes_without_the_experiment_and_unknown_ones_are_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"exists for the scenes of the paper and a synth"):
        plan_sweep(replace(tiny_request(), dataset="salinas"))
    with pytest.raises(UnknownNameError, match=r"unknown dataset 'kcs'; did you mean 'ksc'\?"):
        plan_sweep(replace(tiny_request(), dataset="kcs"))
    with pytest.raises(InvalidInputError, match=r"got --twin with 'synthetic'; leave it out"):
        plan_sweep(replace(tiny_request(), twin=True))


def test_a_scene_that_is_not_at_hand_says_where_it_is_looked_for_and_that_there_are_twins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PDML_DATA", str(tmp_path / "mine"))
    monkeypatch.setenv("PDML_CACHE", str(tmp_path / "cache"))
    with pytest.raises(MissingFileError) as caught:
        plan_sweep(replace(tiny_request(), dataset="houston2013"))
    message = str(caught.value)
    assert f"'{tmp_path / 'mine' / 'houston2013'}'" in message or str(tmp_path / "mine") in message
    assert message.endswith(
        "or say --twin to run on a twin of the same size, whose scores do not count"
    )


def test_a_fingerprint_changes_with_one_value_and_one_label(tmp_path: Path) -> None:
    cube, codes = np.arange(60.0).reshape(4, 5, 3), np.eye(4, 5, dtype=np.uint8)

    def of(cube: np.ndarray, codes: np.ndarray) -> str:
        np.save(tmp_path / "cube.npy", cube)
        np.save(tmp_path / "gt.npy", codes)
        subject = open_subject(str(tmp_path / "cube.npy"), labels=str(tmp_path / "gt.npy"))
        return fingerprint(subject)

    other, relabelled = cube.copy(), codes.copy()
    other[3, 4, 2] += 1
    relabelled[0, 1] = 1
    names = [of(cube, codes), of(other, codes), of(cube, relabelled), of(cube, codes)]
    assert names[0] == names[3]
    assert len(set(names)) == 3
