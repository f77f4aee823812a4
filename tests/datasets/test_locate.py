"""Folders."""

from __future__ import annotations

from pathlib import Path

import pooch
import pytest

from pdml.datasets.locate import cache_folder


def test_the_cache_is_where_the_system_keeps_caches_unless_told(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache_folder() == cache
    monkeypatch.delenv("PDML_CACHE")
    assert cache_folder() == Path(pooch.os_cache("pdml"))


def test_a_home_folder_may_be_written_with_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PDML_CACHE", "~/scenes")
    assert cache_folder() == Path.home() / "scenes"
