"""Splits come back from disk as they were, and bad files are refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pdml.errors import InvalidInputError, MissingFileError, StorageError, UnreadableFileError
from pdml.scenes.labels import LabelledPixels, LabelMap
from pdml.splits.blocks import split_blocks
from pdml.splits.checks import require_scene
from pdml.splits.split import Split
from pdml.splits.store import load_split, save_split


def test_a_split_comes_back_as_it_was(field: LabelMap, tmp_path: Path) -> None:
    split = split_blocks(field, seed=2)
    back = load_split(save_split(split, tmp_path / "split.npz"))
    for name in ("train", "validation", "test"):
        before, after = getattr(split, name), getattr(back, name)
        np.testing.assert_array_equal(before.indices, after.indices)
        np.testing.assert_array_equal(before.classes, after.classes)
    assert back.scene_shape == (40, 50)
    assert back.class_names == split.class_names
    assert back.how == split.how
    assert [path.name for path in tmp_path.iterdir()] == ["split.npz"]


def test_a_failed_write_leaves_the_old_file(
    field: LabelMap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save_split(split_blocks(field, seed=1), tmp_path / "split.npz")
    before = path.read_bytes()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(StorageError, match=r"must be writable to .*No space left on device"):
        save_split(split_blocks(field, seed=2), path)
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["split.npz"]


def test_a_folder_that_is_not_there_is_refused(field: LabelMap, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="check that the folder exists"):
        save_split(split_blocks(field), tmp_path / "nowhere" / "split.npz")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"there is no split file .*none.npz"):
        load_split(tmp_path / "none.npz")


@pytest.mark.parametrize("keep", [0, 10, 200, -30])
def test_a_truncated_file_is_refused(field: LabelMap, tmp_path: Path, keep: int) -> None:
    path = save_split(split_blocks(field), tmp_path / "split.npz")
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(UnreadableFileError, match="truncated or of another kind"):
        load_split(path)


def test_damaged_bytes_are_refused(field: LabelMap, tmp_path: Path) -> None:
    path = save_split(split_blocks(field), tmp_path / "split.npz")
    content = bytearray(path.read_bytes())
    content[60:200] = bytes(140)
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError, match="truncated or of another kind"):
        load_split(path)


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    text, array, archive = (tmp_path / name for name in ("a.npz", "b.npz", "c.npz"))
    text.write_text("train,test\n1,2\n")
    with array.open("wb") as file:
        np.save(file, np.arange(3))
    np.savez(archive, about=np.array(json.dumps({"format": "another"})))
    for path in (text, array, archive):
        with pytest.raises(UnreadableFileError, match="must be a split that pdml saved"):
            load_split(path)


def pixels(indices: list[int], classes: list[int]) -> LabelledPixels:
    return LabelledPixels(np.array(indices, dtype=int), np.array(classes, dtype=int))


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (pixels([0, 1], [0]), "train has 2 pixels and 1 classes"),
        (pixels([6], [0]), "train has pixels outside its scene of 6 pixels"),
        (pixels([1], [2]), "train has classes outside its 2 class names"),
    ],
)
def test_a_split_that_does_not_fit_together_is_refused(
    train: LabelledPixels, message: str, tmp_path: Path
) -> None:
    split = Split(train, pixels([], []), pixels([3], [1]), (2, 3), ("a", "b"))
    with pytest.raises(UnreadableFileError, match=message):
        load_split(save_split(split, tmp_path / "split.npz"))


def test_a_split_of_another_scene_is_refused(field: LabelMap) -> None:
    split = split_blocks(field)
    require_scene(split, (40, 50))
    with pytest.raises(InvalidInputError, match="made for 40 x 50 pixels, the scene has 50 x 40"):
        require_scene(split, (50, 40))
