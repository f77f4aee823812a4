"""The synthetic scene has what it promises."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from sklearn.neighbors import NearestCentroid

from pdml.datasets.render import EASY, REALISTIC, Difficulty, smooth_curves
from pdml.datasets.synthetic import synthetic_scene
from pdml.errors import InvalidInputError
from pdml.scenes.check import check_values
from pdml.scenes.labels import LabelMap
from pdml.scenes.scene import Scene

PURE = Difficulty(noise=0, variability=0, illumination=0, mixing_pixels=0)


def _centroid_accuracy(scene: Scene, labels: LabelMap) -> float:
    pixels = scene.read().reshape(-1, scene.n_bands)[labels.labelled.indices]
    classes = labels.labelled.classes
    return float(
        NearestCentroid().fit(pixels[::2], classes[::2]).score(pixels[1::2], classes[1::2])
    )


@pytest.mark.parametrize("dtype", ["float32", "uint16"])
@pytest.mark.parametrize("shape", [(1, 1, 1), (9, 4, 7), (70, 31, 103)])
def test_any_size_can_be_made(
    shape: tuple[int, int, int], dtype: Literal["float32", "uint16"]
) -> None:
    n_rows, n_cols, n_bands = shape
    scene, labels = synthetic_scene(
        n_rows, n_cols, n_bands=n_bands, n_classes=1, seed=0, dtype=dtype
    )
    assert scene.shape == shape
    assert scene.source.dtype == np.dtype(dtype)
    assert labels.shape == shape[:2]
    assert np.isfinite(scene.read()).all()
    assert scene.about["synthetic"] is True


def test_the_same_seed_makes_the_same_scene() -> None:
    first, labels = synthetic_scene(seed=3)
    again, labels_again = synthetic_scene(seed=3)
    other, _ = synthetic_scene(seed=4)
    np.testing.assert_array_equal(first.read(), again.read())
    np.testing.assert_array_equal(labels.codes, labels_again.codes)
    assert not np.array_equal(first.read(), other.read())


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_the_share_that_is_labelled_is_the_one_asked_for(share: float) -> None:
    _, labels = synthetic_scene(60, 50, n_classes=7, labelled_share=share, seed=0)
    assert np.mean(labels.codes > 0) == pytest.approx(share, abs=0.002)
    assert labels.counts.min() > 0


def test_the_values_can_be_learnt_from() -> None:
    scene, _ = synthetic_scene(seed=0)
    check_values(scene)


def test_without_any_difficulty_a_pixel_is_the_spectrum_of_its_class() -> None:
    spectra = np.array([[0.1, 0.2, 0.3], [0.5, 0.4, 0.1]])
    scene, labels = synthetic_scene(20, 20, spectra=spectra, seed=0, difficulty=PURE)
    pixels = scene.read().reshape(-1, 3)[labels.labelled.indices]
    np.testing.assert_allclose(pixels, spectra[labels.labelled.classes], rtol=1e-6)


def test_the_background_has_spectra_of_its_own() -> None:
    scene, labels = synthetic_scene(40, 40, n_classes=3, seed=0, difficulty=PURE)
    cube = scene.read()
    labelled = np.unique(cube[labels.codes > 0], axis=0)
    unlabelled = np.unique(cube[labels.codes == 0], axis=0)
    assert (len(labelled), len(unlabelled)) == (3, 3)
    assert not np.isclose(labelled[:, None], unlabelled[None], rtol=1e-3).all(axis=2).any()


def test_pixels_at_a_border_are_linear_mixtures() -> None:
    codes = np.repeat([[1] * 5 + [2] * 5], 10, axis=0)
    spectra = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 4.0]])
    scene, _ = synthetic_scene(
        label_map=LabelMap.from_array(codes),
        spectra=spectra,
        seed=0,
        difficulty=replace(PURE, mixing_pixels=0.7),
    )
    row = scene.read()[4]
    share = row[:, 0]
    np.testing.assert_allclose(
        row, share[:, None] * spectra[0] + (1 - share[:, None]) * spectra[1], atol=1e-5
    )
    assert 0.6 < share[4] < 0.95
    assert share[4] + share[5] == pytest.approx(1, abs=1e-5)
    assert share[0] == pytest.approx(1, abs=1e-3)


def test_a_label_map_that_is_given_comes_back_with_its_names() -> None:
    given = LabelMap.from_array(np.eye(8, dtype=int) * 2, class_names=("a", "b", "c"))
    scene, labels = synthetic_scene(label_map=given, n_bands=5, seed=0)
    assert labels is given
    assert scene.shape == (8, 8, 5)


def test_noise_has_the_size_asked_for() -> None:
    spectra = np.full((1, 6), 2.0)
    scene, _ = synthetic_scene(
        200, 200, spectra=spectra, labelled_share=1, seed=0, difficulty=replace(PURE, noise=0.1)
    )
    deviation = scene.read().reshape(-1, 6).std(axis=0)
    level = 2.0  # the mean of all spectra is near that of the only class
    assert np.all((deviation > 0.4 * 0.1 * level) & (deviation < 1.8 * 0.1 * level))
    assert np.ptp(deviation) > 0.01  # bands differ


def test_light_changes_slowly_and_alike_in_all_bands() -> None:
    spectra = np.full((1, 4), 2.0)
    scene, _ = synthetic_scene(
        50,
        50,
        spectra=spectra,
        labelled_share=1,
        seed=0,
        difficulty=replace(PURE, illumination=0.1),
    )
    cube = scene.read()
    np.testing.assert_allclose(cube, np.repeat(cube[:, :, :1], 4, axis=2), rtol=1e-5)
    assert cube.std() == pytest.approx(0.2, rel=1e-3)
    assert np.abs(np.diff(cube[:, :, 0], axis=0)).max() < 0.1


def test_pixels_of_one_class_differ_along_one_direction_of_their_own() -> None:
    scene, labels = synthetic_scene(
        60, 60, n_bands=30, n_classes=2, seed=0, difficulty=replace(PURE, variability=0.1)
    )
    pixels = scene.read().reshape(-1, 30)[labels.labelled.indices]
    first, second = (
        np.linalg.svd(spectra - spectra.mean(axis=0), full_matrices=False)
        for spectra in (pixels[labels.labelled.classes == k] for k in (0, 1))
    )
    assert first.S[1] < 1e-3 * first.S[0]
    assert abs(first.Vh[0] @ second.Vh[0]) < 0.9


def test_difficulty_can_be_chosen() -> None:
    hard = replace(REALISTIC, noise=0.5, contrast=0.05)
    easy, realistic, difficult = (
        _centroid_accuracy(*synthetic_scene(seed=0, difficulty=difficulty))
        for difficulty in (EASY, REALISTIC, hard)
    )
    assert easy > 0.97
    assert difficult < realistic - 0.1


def test_whole_numbers_are_ten_thousand_times_reflectance() -> None:
    fine, _ = synthetic_scene(seed=0)
    whole, _ = synthetic_scene(seed=0, dtype="uint16")
    np.testing.assert_allclose(whole.read() / 1e4, np.clip(fine.read(), 0, None), atol=1e-4)


def test_curves_have_a_spread_of_one_and_neighbouring_bands_agree() -> None:
    curves = smooth_curves(4000, 60, np.random.default_rng(0))
    np.testing.assert_allclose(curves.std(axis=0), 1, atol=0.06)
    assert np.corrcoef(curves[:, 30], curves[:, 31])[0, 1] > 0.98


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_rows": 0}, "got 0 x 64 pixels, 6 classes"),
        ({"n_rows": 2, "n_cols": 2, "n_classes": 5}, "a pixel per class"),
        ({"parcel_pixels": 0}, "parcels of 0 pixels"),
        ({"n_bands": 0}, "at least one band, got 0"),
        ({"labelled_share": 0}, "above 0 and at most 1, got 0"),
        ({"spectra": np.ones(5)}, r"one mean spectrum: got spectra of shape \(5,\)"),
        (
            {"spectra": np.ones((2, 5)), "label_map": LabelMap.from_array(np.full((3, 3), 4))},
            r"got spectra of shape \(2, 5\) for 4 classes",
        ),
    ],
)
def test_what_does_not_fit_is_refused(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        synthetic_scene(seed=0, **arguments)  # type: ignore[arg-type]
