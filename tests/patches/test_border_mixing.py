"""Borders made by hand: what is replaced, by what, and that the centre stays."""

from __future__ import annotations

import torch
from torch import Tensor

from pdml.patches.border_mixing import mix_at_borders

SIDE = 5


def numbered(n: int) -> tuple[Tensor, Tensor]:
    """Patches whose values and classes are the number of the patch."""
    numbers = torch.arange(n)
    return (
        numbers.float()[:, None, None, None].expand(n, SIDE, SIDE, 2).contiguous(),
        numbers[:, None, None].expand(n, SIDE, SIDE),
    )


def mixed(n: int = 2000, share: float = 0.5) -> tuple[Tensor, Tensor]:
    return mix_at_borders(*numbered(n), share, torch.Generator().manual_seed(0))


def test_classes_go_where_their_pixels_go() -> None:
    patches, classes = mixed()
    assert torch.equal(patches[..., 0].long(), classes)
    assert torch.equal(patches[..., 0], patches[..., 1])


def test_the_centre_stays_and_at_most_one_other_patch_comes_in() -> None:
    _, classes = mixed()
    own = torch.arange(2000)
    assert torch.equal(classes[:, 2, 2], own)
    assert max(len(one.unique()) for one in classes) == 2


def test_what_is_replaced_lies_on_one_side_of_a_line_through_no_centre() -> None:
    _, classes = mixed(500, 1.0)
    steps = torch.arange(SIDE) - SIDE // 2
    rows, cols = torch.meshgrid(steps, steps, indexing="ij")
    for number, one in enumerate(classes):
        foreign = (one != number).flatten()
        if not foreign.any():
            continue
        angles = torch.linspace(0, 2 * torch.pi, 721)
        along = rows.flatten() * angles.sin()[:, None] + cols.flatten() * angles.cos()[:, None]
        inside = along.masked_fill(foreign, -9.0).amax(dim=1)
        beyond = along.masked_fill(~foreign, 9.0).amin(dim=1)
        assert (beyond > inside - 0.02).any()


def test_as_many_patches_as_asked_get_a_border_on_any_side() -> None:
    _, classes = mixed(4000, 0.5)
    foreign = classes != torch.arange(4000)[:, None, None]
    share = foreign.any(dim=(1, 2)).float().mean().item()
    # 4000 draws with probability 1/2 have a standard deviation of 0.008.
    assert 0.46 < share < 0.54
    per_corner = foreign.float().mean(dim=0)[[0, 0, 4, 4], [0, 4, 0, 4]]
    assert per_corner.max() - per_corner.min() < 0.04


def test_nothing_asked_nothing_drawn() -> None:
    patches, classes = numbered(4)
    generator = torch.Generator().manual_seed(0)
    state = generator.get_state()
    assert mix_at_borders(patches, classes, 0.0, generator)[0] is patches
    assert torch.equal(generator.get_state(), state)
