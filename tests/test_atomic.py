"""Atomic writes: a reader sees the old file or the new one, and a failure keeps the old."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from pdml.atomic import atomic_path, write_text
from pdml.errors import InvalidInputError, StorageError


def names(folder: Path) -> list[str]:
    """All files of a folder, hidden ones included."""
    return sorted(path.name for path in folder.iterdir())


def write_half(path: Path, failure: BaseException) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text("half", encoding="utf-8")
        raise failure


def test_text_is_written_and_replaced_with_folders_on_the_way(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "note.txt"
    for text in ("first, and longer", "Größe\n"):
        write_text(path, text)
        assert path.read_bytes() == text.encode()
    assert names(path.parent) == ["note.txt"]


def test_until_the_block_ends_a_reader_sees_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    write_text(path, "old")
    with atomic_path(path) as temporary:
        temporary.write_text("new", encoding="utf-8")
        assert temporary.parent == path.parent
        assert path.read_text(encoding="utf-8") == "old"
    assert path.read_text(encoding="utf-8") == "new"


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt, InvalidInputError])
def test_a_block_that_fails_keeps_the_old_file_and_its_error(
    failure: type[BaseException], tmp_path: Path
) -> None:
    path = tmp_path / "note.txt"
    write_text(path, "old")
    with pytest.raises(failure, match="midway"):
        write_half(path, failure("midway"))
    assert path.read_text(encoding="utf-8") == "old"
    assert names(tmp_path) == ["note.txt"]


def test_a_block_that_fails_leaves_nothing_where_nothing_was(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), atomic_path(tmp_path / "note.txt"):
        raise RuntimeError
    assert names(tmp_path) == []


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_disk_that_fills_up_keeps_the_old_file(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "note.txt"
    write_text(path, "old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(*{"fsync": (os, "fsync"), "replace": (Path, "replace")}[call], full)
    with pytest.raises(StorageError) as error:
        write_text(path, "new")
    assert str(error.value) == (
        f"cannot write {path}: No space left on device; nothing was changed there, "
        "free some space or choose another folder"
    )
    assert path.read_text(encoding="utf-8") == "old"
    assert names(tmp_path) == ["note.txt"]


def test_a_place_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match=r"cannot write .*note\.txt: "):
        write_text(tmp_path / "file" / "note.txt", "new")


def test_an_error_that_was_explained_already_is_passed_on(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"^no room on the tape$"), atomic_path(tmp_path / "a"):
        raise StorageError("no room on the tape")


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
@pytest.mark.parametrize("replaced_by_the_writer", [False, True])
def test_files_get_the_permissions_that_open_would_give(
    mask: int, replaced_by_the_writer: bool, tmp_path: Path
) -> None:
    before = os.umask(mask)
    try:
        (tmp_path / "plain").touch()
        with atomic_path(tmp_path / "ours") as temporary:
            if replaced_by_the_writer:
                (tmp_path / "private").touch(0o600)
                (tmp_path / "private").replace(temporary)
    finally:
        os.umask(before)
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode
