"""The search: steps, what is kept of it, and what it does with few or many pixels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pdml.baselines import grid_search
from pdml.baselines.grid_search import Found, search
from tests.baselines.test_kernel_machine import blobs


def test_the_second_step_looks_at_all_neighbours_of_the_best() -> None:
    examples = blobs(3)
    found = search(examples.x, examples.classes, seed=0)
    c_power, gamma_power = np.log2(found.c), np.log2(found.gamma)
    nearest = (3 * round(c_power / 3), 3 * round(gamma_power / 3))
    assert max(abs(c_power - nearest[0]), abs(gamma_power - nearest[1])) <= 1
    assert 0 <= c_power <= 15
    assert -15 <= gamma_power <= 3
    assert found.n_searched == len(examples.x)


def test_what_was_found_is_kept_and_not_searched_again_for_the_same_pixels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples, keep = blobs(2), tmp_path / "search.json"
    found = search(examples.x, examples.classes, seed=0, keep=keep)
    assert json.loads(keep.read_text(encoding="utf-8"))["c"] == found.c
    counted: list[int] = []
    count = grid_search._count_right

    def counting(*args: Any) -> dict[tuple[int, int], int]:
        counted.append(1)
        return count(*args)

    monkeypatch.setattr(grid_search, "_count_right", counting)
    assert search(examples.x, examples.classes, seed=0, keep=keep) == found
    assert counted == []
    search(examples.x, examples.classes, seed=1, keep=keep)
    assert counted == [1, 1]
    keep.write_text("{half of a fi", encoding="utf-8")
    assert search(examples.x, examples.classes, seed=0, keep=keep) == found


def test_of_many_pixels_some_are_searched_with() -> None:
    examples = blobs(2)
    assert search(examples.x, examples.classes, seed=0, most=50).n_searched == 50


def test_a_rare_class_shortens_nothing_and_single_pixels_leave_nothing_to_hold_out() -> None:
    examples = blobs(2)
    rare = np.where(np.arange(120) < 1, 2, examples.classes)
    assert search(examples.x, rare, seed=0).n_searched == 120
    assert search(examples.x[:2], np.array([0, 1]), seed=0) == Found(1.0, 1 / 6)
