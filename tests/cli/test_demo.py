"""`pdml demo`, with a recipe so small that it takes a moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdml.experiments.plan import RunRequest
from pdml.experiments.run_folder import RunFolder
from pdml.training import recipe as recipes
from pdml.training.recipe import Recipe
from tests.cli.conftest import Cli

SHORT = {
    "backbone_options": {"n_kernels": 4, "n_spectral_features": 8},
    "epochs": 1,
    "batch_size": 512,
    "patch_size": 1,
    "precision": "32",
}


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str) -> Recipe:
        assert name == "quick"
        return recipes.load_recipe(name).changed(SHORT)

    monkeypatch.setattr("pdml.experiments.plan.load_recipe", load)


def _draw_quickly(folder: RunFolder, *_: object, **__: object) -> None:
    for name in ("overview", "entropy"):
        folder.picture(name).write_bytes(b"drawn")


@pytest.mark.usefixtures("short")
def test_the_demo_ends_with_pictures_and_what_to_try_next(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pdml.experiments.run.draw_pictures", _draw_quickly)
    outcome = cli("demo", "--device", "cpu")
    assert (outcome.code, outcome.err) == (0, "")
    text = outcome.out
    assert "2055 pixels train, 1025 validate, 7169 test" in text
    for name, caption in {
        "overview.png": "The scene, what is known about it",
        "entropy.png": "Entropy of the class probabilities",
        "report.html": "All of it on one page",
    }.items():
        line = next(line for line in text.splitlines() if line.startswith(f"demo/{name}"))
        assert caption in line
    assert text.rstrip().endswith("pdml train indian_pines --recipe quick --split blocks")


def test_a_folder_that_holds_a_run_is_refused_at_once(cli: Cli, own_run: Path) -> None:
    outcome = cli("demo", "--out", own_run)
    assert (outcome.code, outcome.out) == (2, "")
    assert "already holds a run; choose another --out, or --resume" in outcome.err


def test_the_demo_is_the_quick_recipe_on_the_random_split(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[RunRequest] = []

    def note(request: RunRequest, *_: object, **__: object) -> None:
        asked.append(request)
        raise KeyboardInterrupt

    monkeypatch.setattr("pdml.cli.show_run.run_and_show", note)
    outcome = cli("demo")
    assert outcome.code == 130
    (request,) = asked
    assert (request.scene, request.recipe, request.seed) == ("indian_pines", "quick", 0)
    assert request.split.strategy == "random"
