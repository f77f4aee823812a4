"""Mixing within classes: who is mixed with whom, and by how much."""

from __future__ import annotations

import torch

from pdml.patches.same_class_mixing import mix_within_classes, partners

CLASSES = torch.tensor([0, 1, 0, 2, 1, 0])


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_a_partner_is_another_one_of_the_class_any_as_likely_as_any_other() -> None:
    generator = seeded()
    drawn = torch.stack([partners(CLASSES, generator) for _ in range(600)])
    assert (CLASSES[drawn] == CLASSES).all()
    assert (drawn[:, 3] == 3).all()  # alone in its class
    assert not (drawn[:, [0, 1, 2, 4, 5]] == torch.tensor([0, 1, 2, 4, 5])).any()
    # The first has two partners: 300 each, with a standard deviation of 12.
    assert abs(int((drawn[:, 0] == 2).sum()) - 300) < 50


def test_pixels_become_sums_of_two_with_shares_up_to_the_largest() -> None:
    values = torch.tensor([0.0, 10.0, 1.0, 50.0, 11.0, 1.0])
    patches = values[:, None, None, None].expand(6, 5, 5, 3).contiguous()
    mixed = mix_within_classes(patches, CLASSES, 0.4, seeded())
    torch.testing.assert_close(mixed, mixed[..., :1].expand_as(mixed))  # one share for all bands
    assert (mixed[3] == 50).all()
    shares = mixed[1, ..., 0] - 10  # of the only other one of its class, which is 1 higher
    assert 0 <= shares.min() < shares.max() <= 0.4
    assert len(torch.unique(shares)) == 25  # each pixel has a share of its own


def test_nothing_asked_nothing_drawn_and_one_generator_decides_all() -> None:
    patches, generator = torch.randn(6, 3, 3, 2), seeded()
    state = generator.get_state()
    assert mix_within_classes(patches, CLASSES, 0.0, generator) is patches
    assert torch.equal(generator.get_state(), state)
    first, again, other = (
        mix_within_classes(patches, CLASSES, 0.5, seeded(seed)) for seed in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
