"""The command line called in-process, a tiny scene in files, and a run of it that is finished."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from pdml.cli.main import main

TINY = (
    "--set",
    "backbone_options={n_kernels = 4, n_spectral_features = 8}",
    "--set",
    "precision=32",
    "--device",
    "cpu",
)


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


Cli = Callable[..., Outcome]


def write_field(folder: Path) -> None:
    """A cube of 16 x 16 pixels with 20 bands in `field.npy`, its three classes in `gt.npy`."""
    labels = np.zeros((16, 16), dtype=np.uint8)
    labels[:5], labels[5:10], labels[11:] = 1, 2, 3
    noise = np.random.default_rng(0).normal(size=(16, 16, 20))
    cube = noise + labels[..., None] * np.linspace(-1, 1, 20)
    np.save(folder / "field.npy", cube.astype(np.float32))
    np.save(folder / "gt.npy", labels)


def call(*args: str | Path) -> int:
    """Runs `pdml` with some arguments and hands back the exit code."""
    before = sys.argv
    sys.argv = ["pdml", *map(str, args)]
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        sys.argv = before
    return 0


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with the scene."""
    write_field(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cli(place: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Calls the command line in the folder of the scene."""

    def run(*args: str | Path) -> Outcome:
        capsys.readouterr()
        code = call(*args)
        printed = capsys.readouterr()
        return Outcome(code, printed.out, printed.err)

    return run


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one epoch that nobody may change."""
    folder = tmp_path_factory.mktemp("finished")
    write_field(folder)
    files = folder / "field.npy", "--labels", folder / "gt.npy", "--split", "random"
    assert call("train", *files, "--epochs", "1", *TINY, "--out", folder / "run") == 0
    return folder / "run"


@pytest.fixture
def own_run(finished_run: Path, place: Path) -> Path:
    """A copy of the finished run that a test may change."""
    return Path(shutil.copytree(finished_run, place / "run"))
