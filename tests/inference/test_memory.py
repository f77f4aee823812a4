"""Amounts of memory are read and written as people do."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdml.errors import InvalidInputError
from pdml.inference import memory
from pdml.inference.memory import default_memory, in_words, parse_memory


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [
        ("2GB", 2_000_000_000),
        ("800 MB", 800_000_000),
        ("1.5GiB", 1_610_612_736),
        ("2g", 2_000_000_000),
        ("64mib", 67_108_864),
        ("4096", 4096),
    ],
)
def test_an_amount_is_understood(text: str, n_bytes: int) -> None:
    assert parse_memory(text) == n_bytes


@pytest.mark.parametrize("text", ["", "much", "0GB", "-2GB", "2 GBytes", "1e9", "nan"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError) as refusal:
        parse_memory(text)
    assert str(refusal.value) == (
        f"--memory must be an amount like 2GB, 800MB or 1.5GiB, got '{text}'"
    )


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (2 * 10**9, "2 GB"),
        (850 * 10**6, "850 MB"),
        (1_234_567, "1.23 MB"),
        (2500, "2.5 KB"),
        (12, "12 bytes"),
    ],
)
def test_an_amount_in_words(n_bytes: int, text: str) -> None:
    assert in_words(n_bytes) == text


def test_the_default_is_a_quarter_of_the_tightest_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "free").write_text("max\n")
    (tmp_path / "tight").write_text("1000000000\n")
    monkeypatch.setattr(memory, "_machine_bytes", lambda: 8_000_000_000)
    monkeypatch.setattr(memory, "_CGROUP_LIMITS", (tmp_path / "free", tmp_path / "none"))
    assert default_memory() == 2_000_000_000
    monkeypatch.setattr(memory, "_CGROUP_LIMITS", (tmp_path / "free", tmp_path / "tight"))
    assert default_memory() == 250_000_000


def test_a_machine_that_does_not_tell_is_taken_for_a_small_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "_machine_bytes", lambda: None)
    monkeypatch.setattr(memory, "_CGROUP_LIMITS", ())
    assert default_memory() == memory.UNKNOWN_MACHINE
