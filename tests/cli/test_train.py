"""`pdml train` from end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pdml.training.recipe import load_recipe
from tests.cli.conftest import TINY, Cli


def test_a_run_says_what_it_did_and_leaves_its_folder(cli: Cli, place: Path) -> None:
    options = ("--split", "random", "--epochs", "2", *TINY)
    outcome = cli("train", "field.npy", "--labels", "gt.npy", *options)
    assert (outcome.code, outcome.err) == (0, "")
    folder = place / "runs" / "field-default-seed0"
    assert {file.name for file in folder.iterdir()} >= {
        "metrics.json", "recipe.toml", "split.npz", "history.csv", "model.safetensors",
        "model.json", "map.npz", "overview.png", "report.html",
    }  # fmt: skip
    metrics = json.loads((folder / "metrics.json").read_text())
    assert load_recipe(folder / "recipe.toml").epochs == 2
    text = outcome.out
    assert "field: 16 x 16 pixels, 20 bands, 3 classes." in text
    # 80 pixels per class: 16 of each train, a tenth of all 240 validate.
    assert "random split, seed 0: 48 pixels train, 24 validate, 168 test." in text
    assert "epoch 2 of 2" in text
    assert "256 of 256 pixels" in text
    line = next(line for line in text.splitlines() if line.startswith("OA "))
    for part in (f"OA {100 * metrics['oa']:.2f} %", "AA ", "kappa ", "168 test pixels"):
        assert part in line
    assert "random split, seed 0" in line
    assert "of the test pixels have a training pixel inside their own 5 x 5 patch" in line
    assert "Report:   runs/field-default-seed0/report.html" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("options", "strategy"),
    [
        (["--train-per-class", "10"], "per-class split, seed 3: 30 pixels train, 15 validate"),
        (
            ["--split", "random", "--validation", "30"],
            "random split, seed 3: 48 pixels train, 30 validate",
        ),
        (["--split", "blocks", "--set", "patch_size=3"], "blocks split, seed 3"),
    ],
)
def test_the_options_of_the_split_are_followed(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, options: list[str], strategy: str
) -> None:
    monkeypatch.setattr("pdml.cli.show_run.run", _stop)
    outcome = cli("train", "field.npy", "--labels", "gt.npy", "--seed", "3", *options, *TINY)
    assert strategy in outcome.out
    if "blocks" in options:
        assert "No 3 x 3 patch of a test pixel shares a pixel with a training patch" in outcome.out


def test_a_scene_of_one_s_own_is_not_split_at_random_unless_told_so(cli: Cli, place: Path) -> None:
    outcome = cli("train", "field.npy", "--labels", "gt.npy", "--epochs", "1", *TINY)
    assert outcome.code == 0
    text = outcome.out
    assert "blocks split, seed 0: 120 pixels train, 0 validate, 60 test.\nSplit in blocks, " in text
    line = next(line for line in text.splitlines() if line.startswith("OA "))
    assert "blocks split" in line
    assert "no 5 x 5 patch of a test pixel shares a pixel with a training patch" in line
    report = (place / "runs" / "field-default-seed0" / "report.html").read_text()
    assert "<dt>test pixels with a training pixel in their own patch</dt><dd>0.0 %</dd>" in report


def test_a_dataset_by_name_is_split_as_published_tables_and_says_so(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pdml.cli.show_run.run", _stop)
    outcome = cli("train", "indian_pines", *TINY)
    assert "random split, seed 0: 2055 pixels train, 1025 validate, 7169 test." in outcome.out
    assert "Split at random, as most published tables on this scene; --split blocks" in outcome.out


def _stop(*_: object, **__: object) -> None:
    raise KeyboardInterrupt
