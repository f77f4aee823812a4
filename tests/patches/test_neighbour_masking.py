"""Hidden neighbours: how many, and never the centre."""

from __future__ import annotations

import pytest
import torch

from pdml.patches.neighbour_masking import drop_neighbours, hide


def test_the_centre_stays_and_as_many_others_go_as_asked() -> None:
    left = drop_neighbours(torch.ones(2000, 3, 3, 4), 0.3, torch.Generator().manual_seed(0))
    assert (left[:, 1, 1] == 1).all()
    torch.testing.assert_close(left, left[..., :1].expand_as(left))  # whole spectra
    hidden = 1 - left[..., 0].mean(dim=0)
    hidden[1, 1] = 0.3
    assert hidden.numpy() == pytest.approx(0.3, abs=0.05)


def test_hiding_touches_only_what_is_named() -> None:
    patches = torch.randn(2, 3, 3, 4)
    hidden = torch.zeros(2, 3, 3, dtype=torch.bool)
    hidden[1, 0, 2] = True
    found = hide(patches, hidden)
    assert (found[1, 0, 2] == 0).all()
    found[1, 0, 2] = patches[1, 0, 2]
    assert torch.equal(found, patches)


def test_nothing_asked_nothing_drawn() -> None:
    patches, generator = torch.randn(2, 3, 3, 5), torch.Generator().manual_seed(0)
    state = generator.get_state()
    assert drop_neighbours(patches, 0.0, generator) is patches
    assert torch.equal(generator.get_state(), state)
