"""The tiny scene, made once."""

from __future__ import annotations

import pytest

from pdml.patches.source import PatchSource
from pdml.splits.split import Split
from tests.training.tiny import scene_and_split


@pytest.fixture(scope="session")
def tiny() -> tuple[PatchSource, Split]:
    return scene_and_split()
