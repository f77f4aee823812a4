"""Slow curves over the bands: their size, their smoothness, and what they share."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from pdml.patches.smooth_noise import N_WAVES, smooth_noise


def curves(n: int = 4000, n_bands: int = 60, std: float = 0.5) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return smooth_noise(torch.zeros(n, 3, 3, n_bands), std, generator)


def test_the_curves_have_the_size_that_was_asked_for_and_are_zero_on_average() -> None:
    found = curves()[:, 0, 0]
    assert found.square().mean().sqrt().item() == pytest.approx(0.5, rel=0.03)
    assert found.mean(dim=0).abs().max().item() < 0.05


def test_all_pixels_of_a_patch_have_the_same_curve_and_patches_have_their_own() -> None:
    found = curves(20)
    torch.testing.assert_close(found, found[:, :1, :1].expand_as(found))
    assert len(torch.unique(found[:, 0, 0], dim=0)) == 20


def test_the_curves_are_slow() -> None:
    # White noise has as much power in every frequency; these have none beyond the last wave.
    found = curves(50)[:, 0, 0].numpy()
    there_and_back = np.concatenate([found, found[:, ::-1]], axis=1)
    power = np.abs(np.fft.rfft(there_and_back, axis=1)) ** 2
    assert power[:, N_WAVES + 1 :].sum() < 1e-6 * power.sum()


def test_nothing_asked_nothing_drawn() -> None:
    generator, patches = torch.Generator().manual_seed(0), torch.randn(2, 3, 3, 5)
    state = generator.get_state()
    assert smooth_noise(patches, 0.0, generator) is patches
    assert torch.equal(generator.get_state(), state)
