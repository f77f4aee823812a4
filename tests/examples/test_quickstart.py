"""The quickstart does what it says; here on a small scene and with a small network."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import pdml
from pdml.datasets.card import dataset_card
from pdml.datasets.load import LoadedDataset
from pdml.datasets.render import EASY

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples" / "quickstart.py"
SMALL = {
    "epochs": 2,
    "embedding_size": 8,
    "backbone_options": {"n_kernels": 4, "n_spectral_features": 8},
}


def small_scene(name: str) -> LoadedDataset:
    scene, labels = pdml.synthetic_scene(20, 20, n_bands=16, n_classes=3, seed=0, difficulty=EASY)
    return LoadedDataset(scene, labels, dataset_card(name), None, None, ())


def small(load_recipe: Callable[[str], pdml.Recipe]) -> Callable[[str], pdml.Recipe]:
    return lambda name: load_recipe(name).changed(SMALL)


@pytest.fixture
def in_small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder in which scripts find a small scene and small recipes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pdml, "load_dataset", small_scene)
    monkeypatch.setattr(pdml, "load_recipe", small(pdml.load_recipe))
    return tmp_path


def test_the_script_maps_scores_and_writes(
    in_small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = runpy.run_path(str(SCRIPT))
    assert len(names["trained"].history) == 2
    said = capsys.readouterr().out
    assert f"OA {names['scores'].oa:.4f}" in said
    assert "of the test pixels have a training pixel inside their own patch" in said
    picture = in_small / "runs" / "quickstart" / "map.png"
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_map_that_it_writes_is_the_one_that_it_scores(in_small: Path) -> None:
    names = runpy.run_path(str(SCRIPT))
    stored = pdml.load_class_map(in_small / "runs" / "quickstart" / "map.npz")
    test = names["split"].test
    right = np.mean(stored.classes.flat[test.indices] == test.classes)
    assert names["scores"].oa == pytest.approx(right)


def test_the_readme_shows_the_script_to_the_letter() -> None:
    code = SCRIPT.read_text(encoding="utf-8").partition("from pathlib import Path\n")
    shown = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"```python\n{code[1]}{code[2]}```" in shown
