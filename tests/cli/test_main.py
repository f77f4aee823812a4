"""The command as a whole: help, imports, exit codes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.conftest import Cli

COMMANDS = ("demo", "train", "map", "evaluate", "report", "list", "bench", "info")
OF_DATASETS = ("list", "info", "fetch")
HEAVY = {"torch", "scipy", "sklearn", "matplotlib", "h5py", "pooch", "numpy"}

WHAT_HELP_IMPORTS = """
import sys
from pdml.cli.main import main
sys.argv = ["pdml", "--help"]
try:
    main()
except SystemExit as end:
    print("exit", end.code or 0)
print("modules", *sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_help_imports_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WHAT_HELP_IMPORTS], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert "exit 0" in lines
    assert not HEAVY & set(lines[-1].split())
    assert done.stderr == ""


def test_help_names_every_command(cli: Cli) -> None:
    shown = cli("--help").out
    for command in (*COMMANDS, "datasets"):
        assert f" {command} " in shown


@pytest.mark.parametrize(
    "command", [*((one,) for one in COMMANDS), *(("datasets", one) for one in OF_DATASETS)]
)
def test_help_of_each_command_shows_an_example(cli: Cli, command: tuple[str, ...]) -> None:
    shown = cli(*command, "--help")
    assert shown.code == 0
    assert f"Example: pdml {' '.join(command)}" in shown.out


def test_a_refusal_of_the_real_process_is_one_line_and_exit_2() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from pdml.cli.main import main; main()", "datasets", "info", "ksd"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "pdml: unknown dataset 'ksd'; did you mean 'ksc'?\n"
    assert done.stdout == ""


def test_an_unknown_option_is_a_usage_error(cli: Cli) -> None:
    outcome = cli("train", "field.npy", "--recipee", "quick")
    assert outcome.code == 2
    assert "No such option: --recipee" in outcome.err
