"""The reference pages name every key, file and number that there is, and none besides."""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
import typing
from pathlib import Path

import pytest

from pdml.estimator import SceneClassifier, SpectralClassifier
from pdml.evaluation.metrics import Metrics
from pdml.experiments.run_folder import PICTURES, RunFolder
from pdml.inference.bundle import DESCRIPTION, WEIGHTS
from pdml.scenes.vector_file import VECTOR_SUFFIXES
from pdml.training.recipe import Recipe, recipe_names
from tests.docs.blocks import ROOT

REFERENCE = ROOT / "docs" / "reference"


def rows(page: str, *, after: str = "") -> list[list[str]]:
    """Cells of all rows of tables of a page whose first cell is code, below a heading."""
    text = (REFERENCE / page).read_text(encoding="utf-8").partition(after)[2]
    if after:
        text = text.partition("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_every_key_of_a_recipe_is_documented_with_its_default() -> None:
    text = (REFERENCE / "recipe.md").read_text(encoding="utf-8").partition("## Patches")[2]
    table = re.findall(r"^\| `(\w+)` \| `([^`]*)` \| .+ \| .+ \|$", text, re.MULTILINE)
    documented = tomllib.loads("\n".join(f"{key} = {default}" for key, default in table))
    assert documented == Recipe().to_dict()


def test_every_choice_of_a_key_is_documented() -> None:
    text = (REFERENCE / "recipe.md").read_text(encoding="utf-8")
    for key, kind in typing.get_type_hints(Recipe).items():
        if typing.get_origin(kind) is typing.Literal:
            row = next(line for line in text.splitlines() if line.startswith(f"| `{key}` |"))
            cell = row.split(" | ")[2]
            shown = [tomllib.loads(f"choice = {choice}")["choice"] for choice in names(cell)]
            assert tuple(shown) == typing.get_args(kind)


def test_every_recipe_that_comes_along_is_named() -> None:
    text = (REFERENCE / "recipe.md").read_text(encoding="utf-8").partition("## Patches")[0]
    assert set(re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE)) == set(recipe_names())


def test_every_file_of_a_run_is_named() -> None:
    folder = RunFolder(Path())
    known = {
        getattr(folder, name).name
        for name, member in vars(RunFolder).items()
        if isinstance(member, property)
    }
    known |= {folder.picture(name).name for name in PICTURES} | {WEIGHTS, DESCRIPTION}
    assert {names(row[0])[0] for row in rows("run_folder.md", after="## Files")} == known


def test_every_key_of_the_metrics_is_named() -> None:
    documented = [
        name for row in rows("run_folder.md", after="## `metrics.json`") for name in names(row[0])
    ]
    assert set(documented) == set(typing.get_type_hints(Metrics))


@pytest.mark.parametrize("classifier", [SceneClassifier, SpectralClassifier])
def test_every_parameter_of_a_classifier_is_documented_with_its_default(
    classifier: type[SceneClassifier] | type[SpectralClassifier],
) -> None:
    table = rows("estimators.md", after=f"## `{classifier.__name__}`")
    documented = {names(row[0])[0]: ast.literal_eval(names(row[1])[0]) for row in table}
    parameters = inspect.signature(classifier).parameters
    assert documented == {name: one.default for name, one in parameters.items()}


def test_every_suffix_of_labels_is_named() -> None:
    text = (REFERENCE / "labels.md").read_text(encoding="utf-8")
    assert all(f"`{suffix}`" in text for suffix in VECTOR_SUFFIXES)
