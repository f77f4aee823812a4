"""`pdml evaluate`: scores anew, as a table or as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, cohen_kappa_score

from tests.cli.conftest import Cli


def test_the_scores_are_those_of_the_stored_map(cli: Cli, own_run: Path) -> None:
    stored = json.loads((own_run / "metrics.json").read_text())
    (own_run / "metrics.json").write_text(json.dumps({**stored, "oa": -1.0, "kappa": -1.0}))
    outcome = cli("evaluate", own_run, "--json", "--device", "cpu")
    assert (outcome.code, outcome.err) == (0, "")
    printed = json.loads(outcome.out)
    assert printed == json.loads((own_run / "metrics.json").read_text())
    with np.load(own_run / "split.npz") as split, np.load(own_run / "map.npz") as class_map:
        truth = split["test_classes"]
        predicted = class_map["probability"].reshape(-1, 3)[split["test_indices"]].argmax(axis=1)
    assert printed["oa"] == pytest.approx(accuracy_score(truth, predicted))
    assert printed["aa"] == pytest.approx(balanced_accuracy_score(truth, predicted))
    assert printed["kappa"] == pytest.approx(cohen_kappa_score(truth, predicted))
    # What has nothing to do with the scores stays.
    for name in ("command", "seconds", "split", "leakage", "seed"):
        assert printed[name] == stored[name]


def test_the_table_has_a_line_for_each_class_and_one_for_all(cli: Cli, own_run: Path) -> None:
    lines = cli("evaluate", own_run).out.splitlines()
    metrics = json.loads((own_run / "metrics.json").read_text())
    counts = metrics["split"]["counts"]
    for number, (name, score) in enumerate(metrics["per_class"].items()):
        line = next(line for line in lines if line.startswith(name))
        numbers = [str(counts[part][number]) for part in ("train", "validation", "test")]
        assert line.removeprefix(name).split()[:3] == numbers
        assert f"{100 * score['recall']:.2f} %" in line
    assert next(line for line in lines if line.startswith("all")).split()[1:] == ["48", "24", "168"]
    assert lines[-1].startswith("OA ")
    assert "own 5 x 5 patch" in lines[-1]


def test_a_run_that_is_not_finished_is_refused(cli: Cli, own_run: Path) -> None:
    (own_run / "metrics.json").unlink()
    outcome = cli("evaluate", own_run)
    assert outcome.code == 2
    assert f"finish it with `pdml train --resume --out {own_run}`" in outcome.err


def test_a_scene_that_moved_is_named(cli: Cli, own_run: Path, finished_run: Path) -> None:
    origin = json.loads((own_run / "run.json").read_text())
    (own_run / "run.json").write_text(json.dumps({**origin, "scene": "/gone/field.npy"}))
    outcome = cli("evaluate", own_run)
    assert outcome.code == 2
    assert "there is no file /gone/field.npy" in outcome.err


def test_a_run_that_does_not_say_its_scene_is_refused(cli: Cli, own_run: Path) -> None:
    (own_run / "run.json").write_text("{}")
    outcome = cli("evaluate", own_run)
    assert outcome.code == 2
    assert "it lacks key, labels, labels_key, nodata, scene" in outcome.err


def test_a_split_without_test_pixels_cannot_be_evaluated(cli: Cli, own_run: Path) -> None:
    with np.load(own_run / "split.npz") as stored:
        arrays = dict(stored)
    for name in ("test_indices", "test_classes"):
        arrays[name] = arrays[name][:0]
    np.savez(own_run / "split.npz", **arrays)
    outcome = cli("evaluate", own_run)
    assert outcome.code == 2
    assert f"an evaluation needs test pixels, the split of {own_run} has none" in outcome.err


def test_measures_of_doubt_are_listed_best_first_and_calibration_is_said(
    cli: Cli, own_run: Path
) -> None:
    out = cli("evaluate", own_run).out
    metrics = json.loads((own_run / "metrics.json").read_text())
    scores = metrics["uncertainty"]["scores"]
    names = sorted(scores, key=lambda name: -scores[name]["auroc"])
    lines = [line for line in out.splitlines() if line.endswith("%") and line[0].islower()]
    listed = [line for line in lines if not line.startswith("class")]
    for name, line in zip(names, listed, strict=True):
        assert line.startswith(name.replace("_", " "))
        assert f"{scores[name]['auroc']:.3f}" in line
    assert "measure of doubt" in out
    assert f"after a temperature of {metrics['uncertainty']['temperature']:.2f}" in out


def test_a_run_of_before_there_was_any_uncertainty_is_scored_as_it_is(
    cli: Cli, own_run: Path
) -> None:
    description = json.loads((own_run / "model.json").read_text())
    del description["uncertainty"]
    (own_run / "model.json").write_text(json.dumps(description))
    outcome = cli("evaluate", own_run)
    assert (outcome.code, outcome.err) == (0, "")
    assert "no temperature was fitted" in outcome.out
    metrics = json.loads((own_run / "metrics.json").read_text())
    assert metrics["uncertainty"]["uncalibrated"]["ece"] == pytest.approx(metrics["ece"])
    assert "doubt" not in metrics["uncertainty"]["scores"]


def test_a_model_whose_uncertainty_is_broken_is_refused(cli: Cli, own_run: Path) -> None:
    description = json.loads((own_run / "model.json").read_text())
    description["uncertainty"] = {"temperature": 1.0}
    (own_run / "model.json").write_text(json.dumps(description))
    outcome = cli("evaluate", own_run)
    assert outcome.code == 2
    assert "must hold the weights of the model in model.json" in outcome.err
