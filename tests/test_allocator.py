"""Freed memory is kept where the C library can be told to, and nothing happens elsewhere."""

from __future__ import annotations

import ctypes
import sys

import pytest

from pdml.allocator import keep_freed_memory


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="is about glibc")
def test_glibc_accepts_all_settings() -> None:
    assert keep_freed_memory()


def test_other_systems_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert not keep_freed_memory()


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert not keep_freed_memory()
