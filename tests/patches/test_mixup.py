"""Mixup: patches and classes are mixed in the same shares."""

from __future__ import annotations

import torch

from pdml.patches.mixup import mixup


def test_what_a_patch_says_of_its_values_its_target_says_of_its_classes() -> None:
    classes = torch.arange(40) % 3
    patches = torch.nn.functional.one_hot(classes, 3).float()[:, None, None].expand(40, 3, 3, 3)
    mixed, targets = mixup(patches, classes, 0.5, torch.Generator().manual_seed(0), n_classes=3)
    for number in range(40):
        for row in range(3):
            torch.testing.assert_close(mixed[number, row, row], targets[number])
    torch.testing.assert_close(targets.sum(dim=1), torch.ones(40))


def test_at_least_half_stays_what_it_was() -> None:
    classes = torch.arange(1000)
    patches = torch.zeros(1000, 1, 1, 1)
    _, targets = mixup(patches, classes, 0.3, torch.Generator().manual_seed(0), n_classes=1000)
    own = targets.diagonal()
    assert 0.69 < own.min() < 0.71
    assert 0.84 < own.mean() < 0.86


def test_one_generator_decides_all() -> None:
    patches, classes = torch.randn(8, 3, 3, 2), torch.arange(8) % 2
    first, again, other = (
        mixup(patches, classes, 0.5, torch.Generator().manual_seed(seed), n_classes=2)[0]
        for seed in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
