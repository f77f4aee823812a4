"""The folder of a sweep: lines that are whole, and folders of others that are refused."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pdml.errors import InvalidInputError, MissingFileError, StorageError, UnreadableFileError
from pdml.experiments.sweep.job import FORMAT
from pdml.experiments.sweep.store import SweepFolder

MANIFEST: dict[str, Any] = {
    "format": FORMAT,
    "pdml": "0.1.0",
    "experiment": "losses",
    "recipe": {"epochs": 300, "patch_size": 5},
    "split": {"strategy": "random", "train": 0.2},
    "recipe_name": "paper",
}


def line(name: str, *, twin: bool = False, text: str = "") -> dict[str, Any]:
    return {"format": FORMAT, "id": name, "twin": twin, "text": text}


def test_lines_come_back_by_their_id_and_a_twin_has_a_file_of_its_own(tmp_path: Path) -> None:
    folder = SweepFolder(tmp_path)
    assert folder.records(twin=False) == {}
    for record in (line("a"), line("b"), line("c", twin=True)):
        folder.append(record)
    assert folder.records(twin=False) == {"a": line("a"), "b": line("b")}
    assert (tmp_path / "runs-twin.jsonl").read_text(encoding="utf-8").count('"twin":true') == 1


def test_a_line_that_was_cut_off_does_not_spoil_the_next(tmp_path: Path) -> None:
    folder = SweepFolder(tmp_path)
    folder.append(line("a"))
    path = folder.runs(twin=False)
    path.write_bytes(path.read_bytes() + b'{"format":"pdml sweep 1","id":"b","tw')
    assert set(folder.records(twin=False)) == {"a"}
    folder.append(line("c"))
    assert set(folder.records(twin=False)) == {"a", "c"}


def test_lines_written_at_once_stay_whole(tmp_path: Path) -> None:
    folder = SweepFolder(tmp_path)
    records = [line(str(number), text="x" * 20_000) for number in range(24)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(folder.append, records))
    assert folder.records(twin=False) == {record["id"]: record for record in records}


def test_a_line_of_another_kind_is_refused(tmp_path: Path) -> None:
    folder = SweepFolder(tmp_path)
    folder.append(line("a"))
    folder.append({**line("b"), "format": "pdml sweep 0"})
    with pytest.raises(UnreadableFileError, match=r"line 2 of .* must be a run in the format"):
        folder.records(twin=False)


def test_a_line_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "runs.jsonl").mkdir()
    with pytest.raises(StorageError, match=r"cannot write .*: Is a directory; free some space"):
        SweepFolder(tmp_path).append(line("a"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pdml": "0.2.0"}, "pdml was '0.1.0', now it is '0.2.0'"),
        ({"experiment": "maps"}, "experiment was 'losses', now it is 'maps'"),
        ({"recipe": {"epochs": 2, "patch_size": 5}}, "recipe.epochs was 300, now it is 2"),
        (
            {"split": {"strategy": "random", "train": 0.1}},
            "split.train was 0.2, now it is 0.1",
        ),
        (
            {"recipe": {**MANIFEST["recipe"], "n_gaussians": 2}},
            "recipe.n_gaussians was None, now it is 2",
        ),
    ],
)
def test_a_folder_of_another_sweep_is_refused_and_the_key_is_named(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    folder = SweepFolder(tmp_path)
    folder.open(MANIFEST)
    folder.open({**MANIFEST, "recipe_name": "another name of the same"})
    before = folder.manifest.read_bytes()
    with pytest.raises(InvalidInputError) as caught:
        folder.open({**MANIFEST, **changes})
    assert str(caught.value) == (
        f"{tmp_path} holds another sweep: {message}; choose another --out, or ask for what is in "
        "the folder"
    )
    assert folder.manifest.read_bytes() == before


def test_a_folder_without_a_sweep_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"must be the folder of a sweep, but sweep\.json"):
        SweepFolder(tmp_path).read_manifest()


@pytest.mark.parametrize("text", ["no json", "[]", json.dumps({"format": "pdml sweep 0"})])
def test_a_manifest_of_another_kind_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "sweep.json").write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableFileError, match=r"must describe a sweep in the format"):
        SweepFolder(tmp_path).read_manifest()
