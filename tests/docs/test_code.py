"""The code in the documentation runs: the commands in order, each page in an empty folder."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import pdml
from pdml.cli.main import app
from tests.docs.blocks import PAGES, ROOT, Block, marked_blocks

CONTRIBUTING = ROOT / "CONTRIBUTING.md"
RUN_HERE = [page for page in PAGES if marked_blocks(page) and page != CONTRIBUTING]
RUN_BELOW = ["own_scene"]

# Indian Pines takes minutes; these pages run on a scene and a network that take seconds.
SMALL_SCENE = "small.npy --labels small_labels.npy --key small"
SMALL_NETWORK = """
patch_size = 3
epochs = 1
embedding_size = 8
backbone_options = { n_kernels = 4, n_spectral_features = 8 }
"""
OTHER_PROGRAMS = {"gdalinfo"}
"""Programs of others that a page shows; run where they are installed."""

STAND_INS = {"pdml train indian_pines": f"pdml train {SMALL_SCENE}", "quick": "small.toml"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder but for what stands in for Indian Pines."""
    # Drawing takes longer than all the rest, and has tests of its own.
    monkeypatch.setattr("pdml.experiments.run.draw_pictures", lambda *_, **__: None)
    scene, labels = pdml.synthetic_scene(40, 40, n_bands=16, n_classes=3, parcel_pixels=6, seed=0)
    np.save(tmp_path / "small.npy", scene.read())
    np.save(tmp_path / "small_labels.npy", labels.codes)
    (tmp_path / "small.toml").write_text(SMALL_NETWORK, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_command(line: str) -> None:
    for name, small in STAND_INS.items():
        line = line.replace(name, small)
    program, *arguments = shlex.split(line)
    if program in OTHER_PROGRAMS:
        if shutil.which(program):
            subprocess.run([program, *arguments], check=True, capture_output=True)
        return
    assert program == "pdml"
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, f"{line}\n{result.output}"


def run_block(block: Block, page: Path) -> None:
    if block.language == "bash":
        for line in block.commands:
            run_command(line)
    else:
        exec(compile(block.text, str(page), "exec"), {"__name__": "page"})


@pytest.mark.parametrize(
    "page", [p for p in RUN_HERE if p.stem not in RUN_BELOW], ids=lambda page: page.stem
)
def test_the_code_of_a_page_runs_from_top_to_bottom(page: Path, folder: Path) -> None:
    for block in marked_blocks(page):
        run_block(block, page)


def test_all_tutorials_are_run() -> None:
    tutorials = {page.stem for page in (ROOT / "docs" / "tutorials").glob("*.md")}
    assert {"first_map", "own_scene", "your_own_arrays"} <= tutorials
    assert tutorials <= {page.stem for page in RUN_HERE}


def test_the_map_of_the_own_scene_is_what_its_page_says(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = ROOT / "docs" / "tutorials" / "own_scene.md"
    for block in marked_blocks(page):
        run_block(block, page)
    assert "('top_probability', 'entropy', 'embedding_variance')" in capsys.readouterr().out
    maps = {path.name for path in (folder / "maps").iterdir()}
    assert maps == {"fields.tif", "fields_confidence.tif", "fields.qml", "fields.tif.aux.xml"}
    categories = (folder / "maps" / "fields.tif.aux.xml").read_text(encoding="utf-8")
    named = re.findall("<Category>(.*?)</Category>", categories)
    assert named == ["not measured", "barley", "maize", "oats", "rye", "rejected"]
    assert (folder / "scene.png").read_bytes().startswith(b"\x89PNG")


def test_a_mistake_is_answered_as_the_tutorial_says(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = ROOT / "docs" / "tutorials" / "your_own_arrays.md"
    blocks = marked_blocks(page)
    run_block(blocks[0], page)
    run_block(blocks[-1], page)
    assert "must hold a cube (row, col, band), but none is there" in capsys.readouterr().out


CHECKS = """
import gzip
from pathlib import Path
import numpy as np
import torch
from pdml.scenes.open import open_scene

samples = torch.tensor([[[0.0]], [[0.5]], [[2.0]]])
# Pairs: same class at 0.5, different at 2.0 (beyond the margin), different at 1.5.
loss = PullPush()(samples, torch.tensor([0, 0, 1])).item()
assert abs(loss - 0.25 / 3) < 1e-6, loss
assert Small(n_bands=7, width=4)(torch.zeros(2, 5, 5, 7)).shape == (2, 4, 5, 5)
with gzip.open("cube.npy.gz", "wb") as file:
    np.save(file, np.ones((4, 3, 2)))
scene = GzReader().scene(Path("cube.npy.gz"), "cube")
assert scene.shape == (4, 3, 2) and scene.read().sum() == 24
assert my_field().n_classes == 2
learnt = Examples(np.array([[0.0, 0.0], [4.0, 0.0]]), np.array([1, 0]), 2)
nearest_spectrum = NearestSpectrum.fit(learnt, seed=0, options={}, keep=None)
assert nearest_spectrum(torch.tensor([[1.0, 1.0], [3.0, 1.0]])).argmax(dim=1).tolist() == [1, 0]
assert nearest().learner is NearestSpectrum
flat, mean = LocalMean(side=3).channels(np.eye(3))
assert abs(mean[1, 1] - 1 / 3) < 1e-12 and (flat == np.eye(3)).all()
"""


def test_the_examples_of_adding_something_do_what_they_say(tmp_path: Path) -> None:
    # In a process of its own, or they would stay registered for all other tests.
    future = "from __future__ import annotations\n"
    code = "\n".join(block.text for block in marked_blocks(CONTRIBUTING)).replace(future, "")
    command = [sys.executable, "-W", "error", "-c", future + code + CHECKS]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
