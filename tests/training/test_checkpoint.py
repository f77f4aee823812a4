"""Checkpoint files: what goes in comes out, and what is broken or full is said in one line."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from pdml.errors import MissingFileError, StorageError, UnreadableFileError
from pdml.training.checkpoint import load_tensors, save_tensors

ABOUT = {"epoch": 3, "history": [{"total": 0.1 + 0.2, "epoch": 1}], "name": "Hänge"}


def tensors() -> dict[str, torch.Tensor]:
    return {
        "model/weight": torch.randn(3, 4, generator=torch.Generator().manual_seed(0)),
        "double": torch.tensor([1 / 3], dtype=torch.float64),
        "brief": torch.tensor([1.5], dtype=torch.bfloat16),
        "scalar": torch.tensor(7),
        "bytes": torch.get_rng_state(),
        "empty": torch.zeros(0, 3),
    }


@contextmanager
def files_of_at_most(n_bytes: int) -> Iterator[None]:
    """The kernel refuses to let a file grow beyond a size, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_tensors_and_values_come_back_to_the_bit(tmp_path: Path) -> None:
    path = tmp_path / "run" / "checkpoint.safetensors"
    save_tensors(path, tensors(), ABOUT)
    stored, about = load_tensors(path)
    assert about == ABOUT
    assert stored.keys() == tensors().keys()
    for name, value in tensors().items():
        assert stored[name].dtype == value.dtype
        assert torch.equal(stored[name], value)


def test_tensors_that_share_memory_or_are_strided_are_kept(tmp_path: Path) -> None:
    whole = torch.arange(12.0).view(3, 4)
    save_tensors(tmp_path / "a", {"whole": whole, "same": whole, "turned": whole.t()}, {})
    stored, _ = load_tensors(tmp_path / "a")
    assert torch.equal(stored["same"], whole)
    assert torch.equal(stored["turned"], whole.t())


def test_a_file_can_be_read_by_whoever_may_read_new_files(tmp_path: Path) -> None:
    save_tensors(tmp_path / "a", tensors(), {})
    (tmp_path / "b").touch()
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"no file .*a\.safetensors; is this the folder of"):
        load_tensors(tmp_path / "a.safetensors")


@pytest.mark.parametrize("kept", [0.0, 0.01, 0.3, 0.99])
def test_a_truncated_file_is_refused(kept: float, tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    save_tensors(path, tensors(), ABOUT)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept * len(whole))])
    with pytest.raises(UnreadableFileError, match=r"must be a complete safetensors file: .*again"):
        load_tensors(path)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    path.write_text("<html>not found</html>" * 20, encoding="utf-8")
    with pytest.raises(UnreadableFileError, match="must be a complete safetensors file: "):
        load_tensors(path)


def test_tensors_of_another_program_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    save_file({"weight": torch.zeros(2)}, path, metadata={"format": "pt"})
    with pytest.raises(UnreadableFileError, match="holds tensors but was not written by pdml"):
        load_tensors(path)


@pytest.mark.parametrize("header", ["{truncated", "[1, 2]"])
def test_a_header_that_is_no_table_is_refused(header: str, tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    save_file({"weight": torch.zeros(2)}, path, metadata={"pdml": header})
    with pytest.raises(UnreadableFileError, match="must say in its header, as JSON, what it hol"):
        load_tensors(path)


def test_a_file_that_does_not_fit_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    save_tensors(path, tensors(), ABOUT)
    with (
        files_of_at_most(1000),
        pytest.raises(StorageError, match=r"cannot write .*what was there before is still there"),
    ):
        save_tensors(path, {"large": torch.zeros(10_000)}, {})
    assert load_tensors(path)[1] == ABOUT
    assert os.listdir(tmp_path) == [path.name]  # noqa: PTH208  # hidden files count


def test_a_full_disk_at_the_very_end_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.safetensors"
    save_tensors(path, tensors(), ABOUT)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="No space left on device; nothing was changed there"):
        save_tensors(path, {"other": torch.zeros(1)}, {})
    assert load_tensors(path)[1] == ABOUT
    assert os.listdir(tmp_path) == [path.name]  # noqa: PTH208  # hidden files count
