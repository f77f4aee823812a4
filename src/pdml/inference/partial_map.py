"""A map that is being made: the tiles that are done, in a hidden folder beside the result.

A tile is one file that is there whole or not at all, so a process may end at any moment. The folder
says in `job.json` what is mapped and how; another job does not go on with it. Once the files of the
result are whole, `job.json` is called `complete.json`, and all that is left is to move them.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Shaped

from pdml.atomic import atomic_path, write_text
from pdml.errors import StorageError, UnreadableFileError
from pdml.inference.plan import Tile
from pdml.scenes.window import Window

JOB = "job.json"
FINISHED = "finished"
COMPLETE = "complete.json"

Job = dict[str, Any]


def partial_folder(out: Path) -> Path:
    """Where the tiles of a map are kept until it is complete."""
    return out.with_name(f".{out.name}.part")


class PartialMap:
    """The layers of a map, tile by tile in files.

    Args:
        folder: Where the tiles are.
        tiles: All tiles of the map, on a grid, row by row.
        dtype: Structured type of the layers.
    """

    def __init__(self, folder: Path, tiles: Sequence[Tile], dtype: np.dtype[Any]) -> None:
        self.folder = folder
        self.tiles = tiles
        self.dtype = dtype
        last, first = tiles[-1].target, tiles[0].target
        self.shape = (last.row_stop, last.col_stop)
        self._tile_shape = first.shape
        self._tiles_per_row = -(-self.shape[1] // first.shape[1])

    @property
    def finished(self) -> Path:
        """Where the files of the result are before they are moved to their place."""
        return self.folder / FINISHED

    @property
    def is_complete(self) -> bool:
        """Whether all that is left to do is to move the result to its place."""
        return (self.folder / COMPLETE).is_file()

    def differences(self, job: Job) -> list[str] | None:
        """What of the job that began here differs from another; None if none began."""
        before = _read_job(self.folder / JOB) or _read_job(self.folder / COMPLETE)
        if before is None:
            return None
        job = json.loads(json.dumps(job))  # what a file gives back: lists for tuples
        return [key for key in job if job[key] != before.get(key)]

    def begin(self, job: Job) -> None:
        """Makes the folder ready for a job; what was there is removed.

        Raises:
            StorageError: If the folder cannot be written.
        """
        try:
            if self.folder.exists():
                shutil.rmtree(self.folder)
            self.folder.mkdir(parents=True)
        except OSError as error:
            raise StorageError(
                f"cannot write into {self.folder.parent}: {error.strerror}; choose another "
                "place with -o"
            ) from error
        write_text(self.folder / JOB, json.dumps(job, indent=1))

    def is_done(self, number: int) -> bool:
        """Whether a tile is there."""
        return self._path(number).is_file()

    def save(self, number: int, layers: Shaped[np.ndarray, "row col"]) -> None:
        """Writes a tile.

        Raises:
            StorageError: If it cannot be written.
        """
        with atomic_path(self._path(number)) as temporary, temporary.open("wb") as file:
            # np.save hands an array to C's buffered output, whose last bytes get lost without an
            # error when the disk is full.
            whole = np.ascontiguousarray(layers)
            header = np.lib.format.header_data_from_array_1_0(whole)
            np.lib.format.write_array_header_1_0(file, header)
            file.write(whole.view(np.uint8).data)

    def read(self, window: Window) -> Shaped[np.ndarray, "row col"]:
        """The layers inside a window, from the tiles that it touches.

        Raises:
            UnreadableFileError: If a tile is broken.
        """
        found = np.empty(window.shape, dtype=self.dtype)
        rows, cols = self._tile_shape
        for row in range(window.row_start // rows, -(-window.row_stop // rows)):
            for col in range(window.col_start // cols, -(-window.col_stop // cols)):
                number = row * self._tiles_per_row + col
                target = self.tiles[number].target
                common = _common(window, target)
                found[_within(common, window)] = self._load(number)[_within(common, target)]
        return found

    def begin_writing(self) -> Path:
        """An empty folder for the files of the result."""
        shutil.rmtree(self.finished, ignore_errors=True)
        self.finished.mkdir()
        return self.finished

    def end_writing(self) -> None:
        """Takes down that the files of the result are whole, once they are on the disk."""
        for path in [*self.finished.rglob("*"), self.finished]:
            _flush(path)
        (self.folder / JOB).replace(self.folder / COMPLETE)

    def move_result(self, out: Path) -> None:
        """Moves the files of the result beside `out`, that one last, and removes the folder.

        Raises:
            StorageError: If they cannot be moved.
        """
        try:
            # Without that folder all was moved before, and the process ended while it tidied up.
            left = self.finished.iterdir() if self.finished.is_dir() else ()
            for path in sorted(left, key=lambda path: path.name == out.name):
                _replace(path, out.with_name(path.name), aside=self.folder / "replaced")
        except OSError as error:
            raise StorageError(
                f"cannot move the map to {out}: {error.strerror}; it is in {self.finished}, "
                "repeat the command"
            ) from error
        _clear(self.folder)

    def _path(self, number: int) -> Path:
        return self.folder / f"tile-{number:06d}.npy"

    def _load(self, number: int) -> Shaped[np.ndarray, "row col"]:
        path = self._path(number)
        try:
            layers: Shaped[np.ndarray, "row col"] = np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise UnreadableFileError(
                f"{path} must be a tile that pdml wrote, it is missing or broken; remove the "
                f"folder {self.folder} and map again"
            ) from error
        return layers


def _read_job(path: Path) -> Job | None:
    try:
        job = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return job if isinstance(job, dict) else None


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _replace(source: Path, target: Path, *, aside: Path) -> None:
    """Moves a file or a folder to a place that may be taken."""
    if target.is_dir() or (target.exists() and source.is_dir()):
        target.rename(aside)  # a folder cannot be replaced in one step
    source.replace(target)


def _clear(folder: Path) -> None:
    """Removes a folder whose result is in its place; what says so goes last."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != COMPLETE:
            path.unlink()
    shutil.rmtree(folder)


def _common(one: Window, other: Window) -> Window:
    return Window(
        max(one.row_start, other.row_start),
        min(one.row_stop, other.row_stop),
        max(one.col_start, other.col_start),
        min(one.col_stop, other.col_stop),
    )


def _within(inner: Window, outer: Window) -> tuple[slice, slice]:
    """A window as an index of an array that begins at the corner of another."""
    row, col = outer.row_start, outer.col_start
    return (
        slice(inner.row_start - row, inner.row_stop - row),
        slice(inner.col_start - col, inner.col_stop - col),
    )
