"""Pixels without a label: what training may look at, against a loop over test pixels."""

from __future__ import annotations

import numpy as np
import pytest

from pdml.errors import InvalidInputError
from pdml.patches.normalise import fit_standardiser
from pdml.patches.source import PatchSource
from pdml.patches.unlabelled import unlabelled_pixels
from pdml.scenes.labels import LabelledPixels
from pdml.scenes.scene import Scene
from pdml.splits.split import Split

SHAPE = (12, 10)


def part(*places: tuple[int, int]) -> LabelledPixels:
    indices = np.array([row * SHAPE[1] + col for row, col in places], dtype=np.int64)
    return LabelledPixels(indices, np.zeros(len(places), dtype=np.int64))


@pytest.fixture
def source() -> PatchSource:
    cube = np.random.default_rng(0).uniform(1, 2, size=(*SHAPE, 4))
    cube[11, 9] = 0
    scene = Scene.from_array(cube, nodata=0.0)
    return PatchSource(scene, fit_standardiser(scene), patch_size=5)


def split(test: LabelledPixels) -> Split:
    return Split(part((0, 0)), part((0, 9)), test, SHAPE, ("a",))


def test_outside_test_keeps_whole_patches_off_test_pixels(source: PatchSource) -> None:
    places = [(5, 5), (2, 8)]
    found = unlabelled_pixels(source, split(part(*places)), "outside_test")
    expected = [
        row * SHAPE[1] + col
        for row in range(SHAPE[0])
        for col in range(SHAPE[1])
        if (row, col) not in {(0, 0), (11, 9)}  # it has a label, it was not measured
        and all(max(abs(row - r), abs(col - c)) > 2 for r, c in places)
    ]
    assert found.tolist() == expected


def test_scene_takes_test_pixels_too(source: PatchSource) -> None:
    found = unlabelled_pixels(source, split(part((5, 5))), "scene")
    assert len(found) == SHAPE[0] * SHAPE[1] - 2
    assert 5 * SHAPE[1] + 5 in found


def test_a_scene_full_of_test_pixels_leaves_none(source: PatchSource) -> None:
    everywhere = part(*[(row, col) for row in range(0, 12, 2) for col in range(0, 10, 2)][1:])
    with pytest.raises(InvalidInputError) as error:
        unlabelled_pixels(source, split(everywhere), "outside_test")
    assert str(error.value) == (
        "lambda_consistency needs pixels without a label, got none that are at a distance from "
        "all test pixels; set lambda_consistency = 0, or unlabelled = 'scene', which looks at "
        "the spectra of test pixels"
    )
