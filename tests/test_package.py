"""`import pdml` is quick and offers what a script needs."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import pdml

HEAVY = {"torch", "scipy", "sklearn", "matplotlib", "h5py", "numpy"}
STUB = Path(pdml.__file__).with_suffix(".pyi")


def offered() -> list[str]:
    return [name for name in pdml.__all__ if not name.startswith("_")]


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, pdml; dir(pdml); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())


@pytest.mark.parametrize("name", offered())
def test_every_name_leads_to_something_of_that_name(name: str) -> None:
    assert getattr(pdml, name).__name__ == name
    assert name in dir(pdml)


def test_type_checkers_see_the_same_names_in_the_same_homes() -> None:
    seen = {
        alias.name: node.module
        for node in ast.parse(STUB.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
        for alias in node.names
    }
    assert seen.keys() == set(offered())
    for name, module in seen.items():
        assert getattr(pdml, name).__module__ == module


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'pdml' has no attribute 'open_scenes'"):
        getattr(pdml, "open_scenes")  # noqa: B009 - type checkers know that it does not exist


def test_the_version_is_that_of_the_installed_package() -> None:
    assert pdml.__version__ == version("pdml")
