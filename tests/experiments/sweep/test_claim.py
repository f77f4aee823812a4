"""Claims: one process at a time, and none outlives its process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pdml.errors import StorageError
from pdml.experiments.sweep.claim import claimed

HOLD = """
import sys, time
from pathlib import Path
from pdml.experiments.sweep.claim import claimed
with claimed(Path(sys.argv[1])) as mine:
    print(mine, flush=True)
    time.sleep(60)
"""


def test_a_claim_is_held_until_the_end_of_the_block(tmp_path: Path) -> None:
    path = tmp_path / "work" / "a.lock"
    with claimed(path) as first:
        with claimed(path) as second:
            assert (first, second) == (True, False)
        with claimed(path) as third:  # a failed attempt takes nothing away
            assert not third
    assert not path.exists()
    with claimed(path) as again:
        assert again


def test_a_claim_is_let_go_when_the_work_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), claimed(tmp_path / "a.lock"):
        _ = 1 / 0
    with claimed(tmp_path / "a.lock") as mine:
        assert mine


def test_the_claim_of_a_killed_process_is_free_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        with claimed(path) as mine:
            assert not mine
        holder.kill()
        holder.wait()
        assert path.exists()  # it could not clean up
        with claimed(path) as mine:
            assert mine


def test_a_place_where_nothing_can_be_locked_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with (
        pytest.raises(StorageError, match=r"cannot lock .*a\.lock: .*; choose another --out"),
        claimed(tmp_path / "file" / "a.lock"),
    ):
        pass
