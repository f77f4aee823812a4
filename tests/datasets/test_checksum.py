"""Checksums beside downloads."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from pdml.datasets.checksum import RECORD_NAME, remember, require_recorded, sha256_of
from pdml.errors import UnreadableFileError


def test_the_first_checksum_is_recorded_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.mat"
    path.write_bytes(b"first")
    require_recorded(path)  # nothing is recorded yet, so nothing can differ
    remember(path)
    path.write_bytes(b"second")
    remember(path)
    recorded = json.loads((tmp_path / RECORD_NAME).read_text(encoding="utf-8"))
    assert recorded == {"a.mat": hashlib.sha256(b"first").hexdigest()}
    with pytest.raises(UnreadableFileError, match=r"a\.mat' must have the checksum .* delete the"):
        require_recorded(path)


def test_a_file_is_hashed_whole(tmp_path: Path) -> None:
    path = tmp_path / "big"
    content = bytes(range(256)) * 5000
    path.write_bytes(content)
    assert sha256_of(path) == hashlib.sha256(content).hexdigest()


def test_a_broken_record_is_named(tmp_path: Path) -> None:
    (tmp_path / RECORD_NAME).write_text("{", encoding="utf-8")
    with pytest.raises(UnreadableFileError, match=r"checksums.json' must be a JSON record"):
        require_recorded(tmp_path / "a.mat")
