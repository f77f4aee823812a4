"""Lost bands: how many, where, and that nothing else changes."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pdml.patches.band_masking import drop_bands, mask_stretch


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def ones(n: int, n_bands: int) -> Tensor:
    return torch.ones(n, 3, 3, n_bands)


def test_as_many_bands_are_lost_as_were_asked_for_each_patch_its_own() -> None:
    left = drop_bands(ones(400, 50), 0.2, seeded())
    assert set(torch.unique(left).tolist()) == {0.0, 1.0}
    torch.testing.assert_close(left, left[:, :1, :1].expand_as(left))  # all pixels of a patch alike
    lost = 1 - left[:, 0, 0]
    # 20 000 draws with probability 0.2 have a standard deviation of 0.0028.
    assert lost.mean().item() == pytest.approx(0.2, abs=0.012)
    assert len(torch.unique(lost, dim=0)) > 390


def test_a_stretch_is_one_piece_no_longer_than_asked_and_anywhere() -> None:
    n_bands = 20
    left = mask_stretch(ones(3000, n_bands), 0.25, seeded())[:, 1, 1]
    lengths, places = [], torch.zeros(n_bands)
    for row in left.tolist():
        lost = [band for band, value in enumerate(row) if value == 0]
        assert lost == list(range(lost[0], lost[0] + len(lost))) if lost else True
        lengths.append(len(lost))
        places[lost] += 1
    counts = torch.bincount(torch.tensor(lengths), minlength=6)
    # Lengths 0 to 5 alike: 500 each, with a standard deviation of 20.
    assert len(counts) == 6
    assert ((counts - 500).abs() < 90).all()
    assert (places > 0).all()


def test_all_bands_can_be_lost_but_not_more() -> None:
    left = mask_stretch(ones(500, 4), 1.0, seeded())[:, 0, 0]
    assert set(left.sum(dim=1).tolist()) == {0.0, 1.0, 2.0, 3.0, 4.0}


@pytest.mark.parametrize("change", [drop_bands, mask_stretch])
def test_nothing_asked_nothing_drawn(change: type) -> None:
    patches, generator = torch.randn(2, 3, 3, 5), seeded()
    state = generator.get_state()
    assert change(patches, 0.0, generator) is patches
    assert torch.equal(generator.get_state(), state)
    assert torch.equal(drop_bands(patches, 0.5, seeded(3)), drop_bands(patches, 0.5, seeded(3)))
