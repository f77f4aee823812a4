"""The history of a run as a file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pdml.errors import MissingExtraError
from pdml.training.history import Row, read_history, write_history, write_tensorboard

ROWS: list[Row] = [
    {"epoch": 1, "learning_rate": 1e-05, "total": 0.1 + 0.2, "validation_oa": 1 / 3},
    {"epoch": 2, "learning_rate": 2e-05, "total": 1e300, "validation_oa": 1.0},
]


def test_a_history_comes_back_to_the_bit(tmp_path: Path) -> None:
    write_history(tmp_path / "history.csv", ROWS)
    assert read_history(tmp_path / "history.csv") == ROWS


def test_the_file_is_a_plain_table(tmp_path: Path) -> None:
    write_history(tmp_path / "history.csv", ROWS)
    lines = (tmp_path / "history.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "epoch,learning_rate,total,validation_oa"
    assert lines[2] == "2,2e-05,1e+300,1.0"


def test_writing_again_replaces_all_rows(tmp_path: Path) -> None:
    write_history(tmp_path / "history.csv", ROWS)
    write_history(tmp_path / "history.csv", ROWS[:1])
    assert read_history(tmp_path / "history.csv") == ROWS[:1]


def test_no_rows_are_no_file_and_no_file_is_no_rows(tmp_path: Path) -> None:
    write_history(tmp_path / "history.csv", [])
    assert not (tmp_path / "history.csv").exists()
    assert read_history(tmp_path / "history.csv") == []


def test_curves_in_the_browser_name_the_extra_that_they_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(MissingExtraError, match=r"'tensorboard', .*'pdml\[tensorboard\]'"):
        write_tensorboard(tmp_path, ROWS)
