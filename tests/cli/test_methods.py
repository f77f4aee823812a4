"""Compared methods as a user runs them: one command, the same folder, the same other commands."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pdml.inference.stored_map import load_class_map
from tests.cli.conftest import Cli

SCENE = ("field.npy", "--labels", "gt.npy", "--split", "random", "--train", "0.3")
FIXED = ("--set", "learner_options={c = 8.0, gamma = 0.01}")


@pytest.fixture
def svm_run(cli: Cli, place: Path) -> Path:
    outcome = cli("train", *SCENE, "--method", "svm", *FIXED, "--out", "svm")
    assert (outcome.code, outcome.err) == (0, "")
    return place / "svm"


def metrics(run: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((run / "metrics.json").read_text(encoding="utf-8"))
    return found


def test_a_classical_run_has_the_folder_of_any_run_without_what_it_cannot_know(
    svm_run: Path,
) -> None:
    files = {path.name for path in svm_run.iterdir()}
    assert files >= {
        "report.html", "metrics.json", "recipe.toml", "run.json", "split.npz", "model.safetensors",
        "model.json", "map.npz", "overview.png", "class_map.png", "ground_truth.png",
    }  # fmt: skip
    assert not files & {"probability.png", "entropy.png", "variance.png", "checkpoint.safetensors"}
    found = metrics(svm_run)
    assert (found["method"], found["status"], found["nll"]) == ("svm", "exact", None)
    assert "epochs" not in found
    report = (svm_run / "report.html").read_text(encoding="utf-8")
    assert "learner options" in report
    assert "lambda pairs" not in report
    assert not load_class_map(svm_run / "map.npz").has_probability


@pytest.mark.filterwarnings("ignore:Dataset has no geotransform")
def test_it_is_mapped_evaluated_and_drawn_again(cli: Cli, svm_run: Path, place: Path) -> None:
    assert cli("map", "svm", "field.npy", "-o", "again.npz").code == 0
    again, before = (load_class_map(path) for path in (place / "again.npz", svm_run / "map.npz"))
    np.testing.assert_array_equal(again.classes, before.classes)
    assert not again.has_probability
    assert cli("map", "svm", "field.npy", "-o", "again.png").code == 0
    assert cli("map", "svm", "-o", "again.tif").code == 0
    rasterio = pytest.importorskip("rasterio")
    assert not (place / "again_confidence.tif").exists()
    with rasterio.open(place / "again.tif") as file:
        assert file.count == 1
        np.testing.assert_array_equal(file.read(1), before.codes)

    scores = metrics(svm_run)
    assert cli("evaluate", "svm").code == 0
    assert metrics(svm_run) == scores
    (svm_run / "report.html").unlink()
    assert cli("report", "svm").code == 0
    assert (svm_run / "report.html").is_file()


def test_rejecting_by_probabilities_that_are_none_is_refused(cli: Cli, svm_run: Path) -> None:
    outcome = cli("map", "svm", "field.npy", "-o", "out.tif", "--min-probability", "0.5")
    assert outcome.code == 2
    assert outcome.err == (
        "pdml: --min-probability needs a model with probabilities, this one only chooses classes; "
        "leave it out, or map with a run of a method that has them, such as rf\n"
    )


def test_a_forest_knows_how_sure_it_is(cli: Cli, place: Path) -> None:
    outcome = cli("train", *SCENE, "--method", "rf", "--out", "rf")
    assert (outcome.code, outcome.err) == (0, "")
    found = metrics(place / "rf")
    assert isinstance(found["nll"], float)
    assert (place / "rf" / "entropy.png").is_file()


def test_a_run_that_was_broken_off_goes_on_without_searching_again(
    cli: Cli, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pdml.baselines import grid_search

    command = ("train", *SCENE, "--method", "svm", "--out", "run")
    assert cli(*command).code == 0
    before = (place / "run" / "model.safetensors").read_bytes()
    for name in ("metrics.json", "model.json", "model.safetensors", "map.npz", "report.html"):
        (place / "run" / name).unlink()
    monkeypatch.delattr(grid_search, "_count_right")
    resumed = cli("train", "--resume", "--out", "run")
    assert (resumed.code, resumed.err) == (0, "")
    assert (place / "run" / "model.safetensors").read_bytes() == before
    assert metrics(place / "run")["method"] == "svm"
    other = cli("train", "--resume", "--method", "rf", "--out", "run")
    assert other.code == 2
    assert "a run is resumed as it was started: method was 'svm', now it is 'rf'" in other.err


def test_a_network_is_trained_plainly_and_under_pdml(cli: Cli, place: Path) -> None:
    small = ("--epochs", "1", "--set", "precision=32", "--device", "cpu")
    common = ("train", *SCENE, "--method", "spa", *small)
    assert cli(*common, "--recipe", "quick").code == 0
    plain = metrics(place / "runs" / "field-spa-quick-seed0")
    assert (plain["method"], plain["status"]) == ("spa", "exact")
    assert cli(*common, "--pdml").code == 0
    ours = metrics(place / "runs" / "field-spa-pdml-seed0")
    assert ours["method"] == "spa under PDML"
    assert (place / "runs" / "field-spa-pdml-seed0" / "variance.png").is_file()


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "unknown method": (("--method", "smv"), "unknown method 'smv'; did you mean 'svm'?"),
    "no head on it": (
        ("--method", "svm", "--pdml"),
        "--pdml needs a network that keeps the pixels of a patch, 'svm' is none; those that can",
    ),
    "pdml of nothing": (("--pdml",), "--pdml says how a method is trained, got no --method"),
    "patch larger than the scene": (
        ("--method", "gcnn"),
        "a patch must fit into the scene: the patch is 27 x 27 pixels, the scene 16 x 16",
    ),
    "more components than bands": (
        ("--method", "cnn2d"),
        "n_components must be at most the number of bands, got 30 for 20 bands",
    ),
    "unknown option": (
        ("--method", "svm", "--set", "learner_options={cc = 1.0}"),
        "unknown learner option 'cc'; did you mean 'c'?",
    ),
    "a learner that is none": (
        ("--set", "learner=ssatt"),
        "learner must be 'network' or one of rf, svm, got 'ssatt'",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_line_and_nothing_is_written(cli: Cli, place: Path, case: str) -> None:
    args, message = BAD[case]
    before = sorted(place.iterdir())
    outcome = cli("train", *SCENE, *args, "--out", "out")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert outcome.err.startswith("pdml: ")
    assert message in outcome.err
    assert sorted(place.iterdir()) == before


def test_a_method_without_its_extra_says_which(
    cli: Cli, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "higra", None)
    outcome = cli("train", *SCENE, "--method", "emap_svm", "--out", "out")
    assert outcome.code == 2
    assert outcome.err == (
        "pdml: this needs the package 'higra', which is not installed; try: pip install "
        "'pdml[baselines]'\n"
    )
    assert not (place / "out").exists()


def test_methods_are_listed_with_what_is_exact(cli: Cli) -> None:
    shown = " ".join(cli("list", "methods").out.split())
    assert "svm exact: SVM with a Gaussian kernel on the spectrum" in shown
    assert "mcnn reconstruction: MCNN, mapping layers" in shown
