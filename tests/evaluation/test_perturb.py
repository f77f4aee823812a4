"""Patches made worse are worse by what was asked for, and by nothing else."""

from __future__ import annotations

import pytest
import torch

from pdml.evaluation.perturb import with_dead_bands, with_noise, with_other_class

PATCHES = torch.randn(40, 3, 3, 20, generator=torch.Generator().manual_seed(0))
CLASSES = torch.arange(40) % 3


def seeded() -> torch.Generator:
    return torch.Generator().manual_seed(1)


def test_noise_has_the_spread_that_was_asked_for_and_no_mean() -> None:
    noise = with_noise(PATCHES, 0.3, generator=seeded()) - PATCHES
    assert float(noise.std()) == pytest.approx(0.3, rel=0.05)
    assert abs(float(noise.mean())) < 0.02
    assert torch.equal(with_noise(PATCHES, 0.3, generator=seeded()), PATCHES + noise)


def test_a_share_of_the_bands_is_dead_in_all_pixels_alike() -> None:
    dead = torch.arange(20.0)
    found = with_dead_bands(PATCHES, 0.25, dead, generator=seeded())
    changed = (found != PATCHES).flatten(0, 2).any(dim=0)
    assert int(changed.sum()) == 5
    for band in changed.nonzero().flatten().tolist():
        assert (found[..., band] == band).all()


def test_every_patch_is_mixed_with_one_of_another_class() -> None:
    found = with_other_class(PATCHES, CLASSES, 0.4, generator=seeded())
    other = (found - 0.6 * PATCHES) / 0.4
    for row in range(40):
        nearest = (PATCHES - other[row]).flatten(1).norm(dim=1)
        assert float(nearest.min()) < 1e-4
        assert CLASSES[nearest.argmin()] != CLASSES[row]


def test_of_a_single_class_nothing_else_can_be_mixed_in() -> None:
    found = with_other_class(PATCHES, torch.zeros(40), 0.4, generator=seeded())
    assert found.shape == PATCHES.shape


def test_without_strength_nothing_changes() -> None:
    assert torch.equal(with_noise(PATCHES, 0.0, generator=seeded()), PATCHES)
    assert torch.equal(with_dead_bands(PATCHES, 0.0, torch.zeros(20), generator=seeded()), PATCHES)
    assert torch.equal(with_other_class(PATCHES, CLASSES, 0.0, generator=seeded()), PATCHES)
