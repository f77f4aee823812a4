"""A mapping that was interrupted at any moment ends as one that was left alone, byte for byte."""

from __future__ import annotations

import multiprocessing
import random
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from pdml.errors import RunExistsError, UnreadableFileError
from pdml.experiments.listener import Listener
from pdml.experiments.map_options import MapOptions
from pdml.experiments.map_run import write_map
from pdml.inference.partial_map import PartialMap, partial_folder
from tests.experiments import killable_map
from tests.experiments.killable_map import OPTIONS, make_map, subject_of, tiny_bundle, write_scene

KILLS = 10
SUFFIXES = ["tif", "zarr", "npz"]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    return write_scene(tmp_path)


class Log(Listener):
    """Remembers what it is told, and may interrupt."""

    def __init__(self, *, stop_after: int | None = None) -> None:
        self.notes: list[str] = []
        self.stages: list[str] = []
        self.mapped_pixels: list[int] = []
        self._stop_after = stop_after

    def note(self, text: str) -> None:
        """Remembers a sentence."""
        self.notes.append(text)

    def stage(self, name: str) -> None:
        """Remembers a stage."""
        self.stages.append(name)

    def mapped(self, n_done: int, n_pixels: int) -> None:
        """Remembers, or interrupts."""
        self.mapped_pixels.append(n_done)
        if len(self.mapped_pixels) == self._stop_after:
            raise KeyboardInterrupt


def contents(folder: Path) -> dict[str, bytes]:
    """Every file in a folder, the hidden ones too."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def interrupt(scene: Path, out: Path, *, after: int = 6) -> None:
    """Maps some tiles."""
    with pytest.raises(KeyboardInterrupt):
        make_map(scene, out, Log(stop_after=after + 1))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_interrupted_map_is_gone_on_with_where_it_stopped(
    scene: Path, suffix: str, tmp_path: Path
) -> None:
    make_map(scene, tmp_path / "whole" / f"m.{suffix}")
    out = tmp_path / "resumed" / f"m.{suffix}"
    interrupt(scene, out)
    assert not out.exists()
    log = Log()
    make_map(scene, out, log)
    assert log.notes == ["going on after 6 of 16 tiles"]
    assert log.stages == ["map", "write"]  # the scene was checked before
    assert len(log.mapped_pixels) == 1 + 10
    assert log.mapped_pixels[-1] == 37 * 41
    assert contents(tmp_path / "resumed") == contents(tmp_path / "whole")


def test_a_mapping_that_is_killed_ends_as_one_that_was_left_alone(
    scene: Path, tmp_path: Path
) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([killable_map.__name__])
    seconds = {}
    for run in ("warm", "whole"):
        begun = time.monotonic()
        process = context.Process(target=make_map, args=(scene, tmp_path / run / "m.tif"))
        process.start()
        process.join()
        assert process.exitcode == 0
        seconds[run] = time.monotonic() - begun
    expected = contents(tmp_path / "whole")
    for number in range(KILLS):
        folder = tmp_path / f"killed{number}"
        process = context.Process(target=make_map, args=(scene, folder / "m.tif"))
        process.start()
        time.sleep(random.uniform(0, seconds["whole"]))
        process.kill()
        process.join()
        if partial_folder(folder / "m.tif").exists() or not (folder / "m.tif").exists():
            make_map(scene, folder / "m.tif")
        assert contents(folder) == expected
        shutil.rmtree(folder)


@pytest.mark.parametrize("method", ["begin_writing", "end_writing", "move_result"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_end_between_any_two_steps_leaves_no_trace(
    scene: Path, suffix: str, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_map(scene, tmp_path / "whole" / f"m.{suffix}")
    out = tmp_path / "resumed" / f"m.{suffix}"
    with monkeypatch.context() as patch:
        patch.setattr(PartialMap, method, _ended)
        with pytest.raises(KeyboardInterrupt):
            make_map(scene, out)
    assert not out.exists()
    make_map(scene, out)
    assert contents(tmp_path / "resumed") == contents(tmp_path / "whole")


@pytest.mark.parametrize("n_moved", [1, 2, 3, 4])
def test_an_end_between_two_moves_is_made_up_for(
    scene: Path, n_moved: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_map(scene, tmp_path / "whole" / "m.tif")
    out = tmp_path / "resumed" / "m.tif"
    with monkeypatch.context() as patch:
        patch.setattr("pdml.inference.partial_map._replace", _ended_after(n_moved))
        patch.setattr("pdml.inference.partial_map._clear", _ended)
        with pytest.raises(KeyboardInterrupt):
            make_map(scene, out)
    assert out.exists() == (n_moved == 4)  # the map itself comes last
    make_map(scene, out)
    assert contents(tmp_path / "resumed") == contents(tmp_path / "whole")


def test_an_end_while_tidying_up_is_made_up_for(
    scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_map(scene, tmp_path / "whole" / "m.tif")
    out = tmp_path / "resumed" / "m.tif"

    def half(folder: Path) -> None:
        shutil.rmtree(folder / "finished")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("pdml.inference.partial_map._clear", half)
        with pytest.raises(KeyboardInterrupt):
            make_map(scene, out)
    make_map(scene, out)
    assert contents(tmp_path / "resumed") == contents(tmp_path / "whole")


def _ended(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def _ended_after(n_moves: int) -> Callable[..., None]:
    done = 0

    def move(source: Path, target: Path, *, aside: Path) -> None:
        nonlocal done
        if done == n_moves:
            raise KeyboardInterrupt
        source.replace(target)
        done += 1

    return move


def test_another_model_starts_anew_with_one_sentence(scene: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.tif"
    interrupt(scene, out)
    log = Log()
    write_map(tiny_bundle(seed=1), subject_of(scene), out, options=OPTIONS, listener=log)
    assert log.notes == ["m.tif was begun with another model; starting anew"]
    assert log.mapped_pixels[0] == 0


def test_another_scene_and_other_options_start_anew(scene: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.tif"
    interrupt(scene, out)
    write_scene(tmp_path, seed=1)  # the file has changed
    log = Log()
    options = replace(OPTIONS, min_probability=0.0)
    write_map(tiny_bundle(), subject_of(scene), out, options=options, listener=log)
    assert log.notes == ["m.tif was begun with another scene and options; starting anew"]


def test_files_beside_a_map_are_not_taken_for_those_of_an_interrupted_one(
    scene: Path, tmp_path: Path
) -> None:
    out = tmp_path / "m.tif"
    (tmp_path / "m_confidence.tif").write_text("mine")
    with pytest.raises(RunExistsError, match=r"m_confidence\.tif is there already; choose ano"):
        make_map(scene, out)
    assert (tmp_path / "m_confidence.tif").read_text() == "mine"


def test_a_partial_map_of_another_job_does_not_let_a_map_be_overwritten(
    scene: Path, tmp_path: Path
) -> None:
    out = tmp_path / "m.npz"
    interrupt(scene, out)
    out.write_text("mine")
    with pytest.raises(RunExistsError, match=r"m\.npz is there already"):
        write_map(tiny_bundle(seed=1), subject_of(scene), out, options=OPTIONS)
    assert out.read_text() == "mine"


def test_the_map_does_not_depend_on_the_tiles_or_the_memory(scene: Path, tmp_path: Path) -> None:
    make_map(scene, tmp_path / "tiles.npz")
    options = MapOptions(memory_bytes=10**9, min_probability=0.5, device="cpu")
    write_map(tiny_bundle(), subject_of(scene), tmp_path / "memory.npz", options=options)
    assert (tmp_path / "tiles.npz").read_bytes() == (tmp_path / "memory.npz").read_bytes()


def test_a_broken_tile_is_named_with_what_to_do(scene: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.tif"
    interrupt(scene, out)
    tile = partial_folder(out) / "tile-000003.npy"
    tile.write_bytes(tile.read_bytes()[:100])
    with pytest.raises(UnreadableFileError) as refusal:
        make_map(scene, out)
    assert str(refusal.value) == (
        f"{tile} must be a tile that pdml wrote, it is missing or broken; remove the folder "
        f"{tile.parent} and map again"
    )
    assert not out.exists()


def test_rejected_pixels_have_a_category_of_their_own(scene: Path, tmp_path: Path) -> None:
    make_map(scene, tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz") as stored:
        rejected = stored["top_probability"] < 0.5
        assert 0 < rejected.sum() < rejected.size
        np.testing.assert_array_equal(stored["classes"] == 4, rejected)
