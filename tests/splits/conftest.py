"""Label maps that several tests of splits share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from pdml.scenes.labels import LabelMap


def labels_from_counts(counts: Sequence[int]) -> LabelMap:
    """One row of pixels with the given number of pixels of each class."""
    return LabelMap.from_array(np.repeat(np.arange(1, len(counts) + 1), counts)[None])


@pytest.fixture(scope="session")
def indian_pines() -> LabelMap:
    spec = find_spec("tensorly")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    folder = Path(spec.submodule_search_locations[0])
    return LabelMap.from_array(np.load(folder / "datasets" / "data" / "Indian_pines_gt.npy"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    beside = Path(__file__).parents[3] / "shared" / "data"
    folder = Path(os.environ.get("PDML_SHARED_DATA", beside))
    if not folder.is_dir():
        pytest.skip("the shared data is not at hand")
    return folder


@pytest.fixture
def field() -> LabelMap:
    """40 x 50 pixels: four classes in quarters, a fifth along one edge, unlabelled paths."""
    codes = np.zeros((40, 50), dtype=np.int32)
    codes[:19, :24], codes[:19, 26:44], codes[21:, :24], codes[21:, 26:44] = 1, 2, 3, 4
    codes[:, 46:] = 5
    return LabelMap.from_array(codes, class_names=["corn", "oats", "hay", "wheat", "woods"])
