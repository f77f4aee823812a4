"""Symmetries against numpy's turns and flips; noise against its stated size."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from pdml.patches.augment import dihedral, dihedral_all, spectral_noise


def patches_of(n: int, side: int = 5) -> Tensor:
    return torch.randn(n, side, side, 3, generator=torch.Generator().manual_seed(1))


def eight_by_numpy(patch: np.ndarray) -> list[np.ndarray]:
    turned = [np.rot90(patch, quarter) for quarter in range(4)]
    return turned + [np.flip(one, axis=1) for one in turned]


@pytest.mark.parametrize("side", [1, 3, 5])
def test_all_variants_are_the_turns_and_flips_of_each_patch(side: int) -> None:
    patches = patches_of(4, side)
    variants = dihedral_all(patches).numpy()
    assert variants.shape == (8, 4, side, side, 3)
    np.testing.assert_array_equal(variants[0], patches.numpy())
    for number in range(4):
        found = {variant.tobytes() for variant in variants[:, number]}
        expected = {
            np.ascontiguousarray(one).tobytes() for one in eight_by_numpy(patches[number].numpy())
        }
        assert found == expected


def test_each_patch_gets_one_symmetry_and_all_eight_come_equally_often() -> None:
    patch = patches_of(1)
    turned = dihedral(patch.expand(4000, -1, -1, -1), torch.Generator().manual_seed(0)).numpy()
    known = [one.tobytes() for one in dihedral_all(patch).numpy()[:, 0]]
    times = np.bincount([known.index(one.tobytes()) for one in turned], minlength=8)
    # Binomial(4000, 1/8) has a standard deviation of 21.
    assert np.all(abs(times - 500) < 4 * 21)


def test_symmetries_are_drawn_from_the_generator_only() -> None:
    patches = patches_of(64)
    first, again, other = (
        dihedral(patches, torch.Generator().manual_seed(seed)) for seed in (3, 3, 4)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert torch.equal(first[:, 2, 2], patches[:, 2, 2])


def test_patches_are_not_mixed_with_each_other() -> None:
    patches = torch.arange(16.0).view(16, 1, 1, 1).expand(16, 5, 5, 2).contiguous()
    assert torch.equal(dihedral(patches, torch.Generator().manual_seed(0)), patches)


def test_noise_has_the_size_that_was_asked_and_leaves_the_patches_alone() -> None:
    patches = patches_of(2000)
    before = patches.clone()
    noise = spectral_noise(patches, 0.1, torch.Generator().manual_seed(0)) - patches
    assert noise.std().item() == pytest.approx(0.1, rel=0.01)
    assert noise.mean().item() == pytest.approx(0, abs=0.001)
    assert torch.equal(patches, before)


def test_no_noise_is_no_change_and_draws_nothing() -> None:
    patches = patches_of(2)
    generator = torch.Generator().manual_seed(0)
    state = generator.get_state()
    assert torch.equal(spectral_noise(patches, 0.0, generator), patches)
    assert torch.equal(generator.get_state(), state)
