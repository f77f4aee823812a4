"""Waiting threads of a busy machine."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pdml.cli.waiting import DECIDED_BY_USER, current_load, wait_politely


def test_on_free_cores_nothing_changes() -> None:
    environment: dict[str, str] = {}
    assert not wait_politely(environment, load=0.9, n_cores=2)
    assert environment == {}


def test_on_shared_cores_threads_wait_briefly() -> None:
    environment: dict[str, str] = {}
    assert wait_politely(environment, load=1.0, n_cores=2)
    assert environment == {"GOMP_SPINCOUNT": "1000"}


@pytest.mark.parametrize("key", DECIDED_BY_USER)
def test_what_the_user_has_set_stays(key: str) -> None:
    environment = {key: "4"}
    assert not wait_politely(environment, load=50.0, n_cores=2)
    assert environment == {key: "4"}


def test_the_load_is_a_number() -> None:
    assert current_load() >= 0


def test_the_command_decides_before_torch_is_there() -> None:
    free = {key: value for key, value in os.environ.items() if key not in DECIDED_BY_USER}
    program = (
        "import os, sys; os.getloadavg = lambda: (99.0,) * 3; sys.argv = ['pdml', '--help']\n"
        "import atexit; from pdml.cli.main import main\n"
        "atexit.register(lambda: print(os.environ['GOMP_SPINCOUNT'], 'torch' in sys.modules))\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=free, check=True
    )
    assert done.stdout.splitlines()[-1] == "1000 False"
