"""Compiled code is optional: without a compiler, or switched off, everything still works."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pdml.native import build


@pytest.fixture(autouse=True)
def fresh_answers() -> Iterator[None]:
    build.load.cache_clear()
    yield
    build.load.cache_clear()


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_file_is_compiled_once_and_then_taken_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert build.load("norm_relu") is not None
    (library,) = (tmp_path / "pdml" / "native").iterdir()
    made = library.stat().st_mtime_ns
    build.load.cache_clear()
    assert build.load("norm_relu") is not None
    assert library.stat().st_mtime_ns == made


def test_it_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PDML_NATIVE", "0")
    assert build.load("norm_relu") is None


def test_there_is_nothing_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert build.load("norm_relu") is None


def test_a_compiler_that_fails_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(build, "FLAGS", ("--no-such-flag",))
    assert build.load("norm_relu") is None
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]
