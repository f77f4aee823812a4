"""Gathered patches against patches that are cut out of a padded array one by one."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
import torch

from pdml.errors import InvalidInputError, UnknownNameError
from pdml.patches.normalise import fit_standardiser
from pdml.patches.source import PatchGrid, PatchSource
from pdml.scenes.scene import Scene

N_ROWS, N_COLS, N_BANDS = 9, 12, 3


def scene_of(nodata: float | None = None) -> Scene:
    cube = np.random.default_rng(0).normal(3, 2, (N_ROWS, N_COLS, N_BANDS))
    return Scene.from_array(cube, nodata=nodata)


def source_of(scene: Scene, patch_size: int = 5, border: str = "zero") -> PatchSource:
    return PatchSource(scene, fit_standardiser(scene), patch_size=patch_size, border=border)


@pytest.mark.parametrize("patch_size", [1, 3, 5, 9])
@pytest.mark.parametrize(("border", "mode"), [("zero", "constant"), ("reflect", "reflect")])
def test_patches_are_windows_of_the_padded_scene(
    patch_size: int, border: str, mode: Literal["constant", "reflect"]
) -> None:
    scene = scene_of()
    margin = patch_size // 2
    standardised = fit_standardiser(scene).apply(scene.read())
    padded = np.pad(standardised, ((margin, margin), (margin, margin), (0, 0)), mode=mode)
    patches = source_of(scene, patch_size, border).gather(torch.arange(N_ROWS * N_COLS))
    for index, patch in enumerate(patches.numpy()):
        row, col = divmod(index, N_COLS)
        expected = padded[row : row + patch_size, col : col + patch_size]
        np.testing.assert_array_equal(patch, expected)


def test_the_centre_of_a_patch_is_its_pixel() -> None:
    source = source_of(scene_of())
    indices = torch.tensor([0, 11, 50, 107, 50])
    assert torch.equal(source.gather(indices)[:, 2, 2], source.pixels(indices))
    assert source.n_bands == N_BANDS
    assert source.patch_size == 5


def test_any_table_with_one_row_per_padded_pixel_can_be_gathered() -> None:
    source = source_of(scene_of())
    indices = torch.tensor([0, 40, 107])
    places = source.patch_pixel_indices(indices)
    assert places.shape == (3, 5, 5)
    features = source.table @ torch.ones(N_BANDS, 6)
    assert features.shape == (source.grid.n_padded, 6)
    assert torch.equal(source.grid.gather(features, indices), features[places])


def test_pixels_without_data_are_the_mean() -> None:
    cube = scene_of().read().copy()
    cube[4, 5] = -9999
    before = cube.copy()
    source = source_of(Scene.from_array(cube, nodata=-9999))
    assert torch.equal(source.pixels(torch.tensor([4 * N_COLS + 5])), torch.zeros(1, N_BANDS))
    assert np.argwhere(~source.measured).tolist() == [[4, 5]]
    np.testing.assert_array_equal(cube, before)


@pytest.mark.parametrize("nodata", [np.nan, -3.4e38])
def test_extreme_nodata_values_leave_no_trace(nodata: float) -> None:
    cube = scene_of().read() / 1000
    cube[0, 0] = nodata
    source = source_of(Scene.from_array(cube, nodata=nodata), border="reflect")
    assert torch.isfinite(source.table).all()


def test_a_batch_may_be_empty() -> None:
    assert source_of(scene_of()).gather(torch.tensor([], dtype=torch.long)).shape == (0, 5, 5, 3)


@pytest.mark.parametrize("patch_size", [0, -3, 4])
def test_a_patch_without_a_centre_is_refused(patch_size: int) -> None:
    with pytest.raises(InvalidInputError, match=f"must be odd and at least 1, got {patch_size};"):
        PatchGrid(9, 12, patch_size)


def test_a_patch_larger_than_the_scene_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="patch is 11 x 11 pixels, the scene 9 x 12"):
        source_of(scene_of(), patch_size=11)


def test_an_unknown_border_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown border 'reflekt'; did you mean 'reflect'"):
        source_of(scene_of(), border="reflekt")
