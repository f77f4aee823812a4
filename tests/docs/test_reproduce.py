"""The reference of `pdml reproduce` names every experiment, scene, option and key there is."""

from __future__ import annotations

import re
from pathlib import Path

from typer.main import get_command

from pdml.cli.main import app
from pdml.experiments.experiment import EXPERIMENTS
from pdml.experiments.protocol import PROTOCOLS
from pdml.experiments.sweep.store import SweepFolder
from tests.docs.test_reference import names, rows
from tests.experiments.sweep.tiny_sweep import run_tiny, tiny_request

PAGE = "reproduce.md"
ONLY_SOMETIMES = {
    "best_on_test", "detectors", "diverged", "judged", "left_out", "validation",
    "validation_leakage",
}  # fmt: skip


def first_cells(heading: str) -> list[str]:
    return [name for row in rows(PAGE, after=f"## {heading}\n") for name in names(row[0])]


def test_every_experiment_and_scene_is_there() -> None:
    assert sorted(first_cells("Experiments")) == EXPERIMENTS.names()
    assert first_cells("Scenes") == list(PROTOCOLS)


def test_the_recipe_of_each_scene_is_the_one_that_is_taken() -> None:
    for row in rows(PAGE, after="## Scenes\n"):
        protocol = PROTOCOLS[names(row[0])[0]]
        assert names(row[2]) == [protocol.recipe]
        assert row[1].startswith(protocol.strategy)


def test_every_option_is_there() -> None:
    command = get_command(app).commands["reproduce"]  # type: ignore[attr-defined]
    options = {
        name for parameter in command.params for name in parameter.opts if name.startswith("--")
    }
    assert set(first_cells("Options")) == options


def test_every_key_of_a_line_and_every_file_is_there(tmp_path: Path) -> None:
    run_tiny(tiny_request("tsne"), tmp_path)
    (record,) = SweepFolder(tmp_path).records(twin=False).values()
    assert set(first_cells("A line")) == record.keys() | ONLY_SOMETIMES
    written = {re.sub(r"[0-9a-f]{16}", "ID", str(path.relative_to(tmp_path)))
               for path in tmp_path.rglob("*") if path.is_file()}  # fmt: skip
    assert written <= set(first_cells("Files"))
