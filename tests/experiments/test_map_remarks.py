"""Values in another unit are remarked on before a map is made of them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from pdml.experiments.map_remarks import map_remarks, times_brighter
from pdml.patches.normalise import Standardiser
from pdml.scenes.scene import Scene
from tests.experiments.killable_map import tiny_bundle

N_BANDS = 20
LEARNT = np.random.default_rng(0).normal(3, 2, (500, N_BANDS))
STANDARDISER = Standardiser(LEARNT.mean(axis=0), LEARNT.std(axis=0), "scene")


def scene_of(spectra: np.ndarray, nodata: float | None = None) -> Scene:
    return Scene.from_array(spectra.reshape(20, 25, N_BANDS), name="other", nodata=nodata)


@pytest.mark.parametrize("times", [1e-4, 1.0, -100.0])
def test_the_size_of_values_is_compared_among_measured_pixels(times: float) -> None:
    spectra = times * LEARNT
    spectra[::3] = -1e9
    found = times_brighter(scene_of(spectra, -1e9), STANDARDISER)
    assert found == pytest.approx(abs(times), rel=0.2)  # a few rows stand for the whole


def test_nothing_is_said_where_nothing_can_be_compared() -> None:
    assert times_brighter(scene_of(0 * LEARNT), STANDARDISER) is None
    assert times_brighter(scene_of(0 * LEARNT, 0), STANDARDISER) is None


@pytest.mark.parametrize(("times", "how"), [(10_000.0, r"\d{4,5} times"), (0.01, r"1/\d+ of")])
def test_a_scene_in_another_unit_is_remarked_on(times: float, how: str) -> None:
    bundle = replace(tiny_bundle(), standardiser=STANDARDISER)
    assert map_remarks(bundle, scene_of(3 * LEARNT)) == []
    (remark,) = map_remarks(bundle, scene_of(times * LEARNT))
    assert re.fullmatch(
        f"The values of other are about {how} those that the model was trained on: the map is "
        "right only if both are in the same unit.",
        remark,
    )
