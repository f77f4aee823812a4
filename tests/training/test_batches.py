"""Batches: how often each pixel comes, and what is known of its neighbours."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from pdml.patches.source import PatchSource
from pdml.splits.split import Split
from pdml.training.batches import Batches, class_weights
from pdml.training.recipe import Recipe
from tests.training.tiny import GAUSSIAN

Tiny = tuple[PatchSource, Split]


def seeded() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def batches(tiny: Tiny, **changes: object) -> Batches:
    return Batches(*tiny, GAUSSIAN.changed({"flips": False, **changes}))


def test_an_epoch_is_one_pass_unless_that_makes_too_few_steps(tiny: Tiny) -> None:
    one = batches(tiny).epoch(seeded())  # 45 pixels, 16 in a batch, 4 epochs
    assert sorted(torch.cat(one).tolist()) == list(range(45))
    assert len(one) == 3
    for least, passes in ((12, 1), (13, 2), (24, 2), (25, 3)):
        several = batches(tiny, least_steps=least).epoch(seeded())
        assert len(several) == 3 * passes
        assert np.bincount(torch.cat(several)).tolist() == [passes] * 45


def test_an_epoch_is_a_part_of_a_pass_where_that_makes_too_many_steps(tiny: Tiny) -> None:
    for most, n_steps in ((4, 1), (5, 2), (9, 3), (12, 3), (99, 3)):
        some = batches(tiny, most_steps=most).epoch(seeded())
        assert len(some) == n_steps
        assert np.bincount(torch.cat(some)).max() == 1
    order = seeded()
    cut = batches(tiny, most_steps=4)
    first, second = cut.epoch(order), cut.epoch(order)
    assert set(first[0].tolist()) != set(second[0].tolist())


def test_a_scene_with_few_classes_has_smaller_batches_of_so_many_per_class(tiny: Tiny) -> None:
    _, split = tiny
    chosen = batches(tiny, per_class=4, batch_size=32).epoch(seeded())
    for one in chosen:  # three classes would have to be eight
        assert np.bincount(split.train.classes[one.numpy()]).tolist() == [4, 4, 4]


def test_without_augmentation_patches_are_those_of_the_scene(tiny: Tiny) -> None:
    source, split = tiny
    chosen = torch.tensor([3, 17, 40])
    batch = batches(tiny).make(chosen, seeded())
    indices = torch.from_numpy(split.train.indices)[chosen]
    assert torch.equal(batch.patches, source.gather(indices))
    assert batch.classes.tolist() == split.train.classes[chosen].tolist()
    assert (batch.pixel_classes, batch.targets, batch.lesson) == (None, None, None)


@pytest.mark.parametrize("how", ["left_out", "own_class", "hidden"])
def test_neighbours_that_are_known_to_be_of_another_class(tiny: Tiny, how: str) -> None:
    _, split = tiny
    label_of = dict(zip(split.train.indices.tolist(), split.train.classes.tolist(), strict=True))
    batch = batches(tiny, known_neighbours=how).make(torch.arange(45), seeded())
    assert batch.pixel_classes is not None
    n_foreign = 0
    for number, index in enumerate(split.train.indices.tolist()):
        row, col = divmod(index, 20)
        own = label_of[index]
        for i in range(3):
            for j in range(3):
                r, c = row + i - 1, col + j - 1
                known = label_of.get(r * 20 + c) if 0 <= r < 20 and 0 <= c < 20 else None
                foreign = known is not None and known != own
                n_foreign += foreign
                expected = own if not foreign else known if how == "own_class" else -1
                assert batch.pixel_classes[number, i, j] == expected
                gone = bool((batch.patches[number, i, j] == 0).all())
                outside = not (0 <= r < 20 and 0 <= c < 20)
                assert gone == (outside or (foreign and how == "hidden"))
    assert n_foreign > 0  # or nothing was tested


def test_turns_take_the_classes_of_pixels_along(tiny: Tiny) -> None:
    source, split = tiny
    still = batches(tiny, known_neighbours="hidden").make(torch.arange(45), seeded())
    recipe = GAUSSIAN.changed({"flips": True, "known_neighbours": "hidden"})
    moved = Batches(source, split, recipe).make(torch.arange(45), seeded())
    assert still.pixel_classes is not None
    assert moved.pixel_classes is not None
    for before, classes, after, turned in zip(
        still.patches, still.pixel_classes, moved.patches, moved.pixel_classes, strict=True
    ):
        symmetries = [
            (one.rot90(k, (0, 1)), two.rot90(k, (0, 1)))
            for one, two in ((before, classes), (before.flip(1), classes.flip(1)))
            for k in range(4)
        ]
        assert any(torch.equal(one, after) and torch.equal(two, turned) for one, two in symmetries)


def test_a_border_brings_the_classes_of_the_other_patch(tiny: Tiny) -> None:
    batch = batches(tiny, border_mixing=1.0).make(torch.arange(45), seeded())
    assert batch.pixel_classes is not None
    assert torch.equal(batch.pixel_classes[:, 1, 1], batch.classes)
    assert (batch.pixel_classes != batch.classes[:, None, None]).any()


def test_mixup_brings_targets(tiny: Tiny) -> None:
    batch = batches(tiny, mixup=0.5).make(torch.arange(45), seeded())
    assert batch.targets is not None
    torch.testing.assert_close(batch.targets.sum(1), torch.ones(45))
    assert (batch.targets.gather(1, batch.classes[:, None]) >= 0.5).all()


@pytest.mark.parametrize(
    "changes",
    [
        {"band_dropout": 0.3}, {"band_stretch": 0.5}, {"illumination": 0.1}, {"shading": 0.1},
        {"tilt": 0.1}, {"smooth_noise": 0.1}, {"same_class_mixing": 0.5}, {"mixup": 0.5},
        {"border_mixing": 1.0}, {"neighbour_dropout": 0.5}, {"known_neighbours": "hidden"},
        {"spectral_noise": 0.1},
    ],
    ids=lambda changes: next(iter(changes)),
)  # fmt: skip
def test_every_ingredient_changes_patches_and_none_the_centre_s_class(
    tiny: Tiny, changes: dict[str, object]
) -> None:
    plain = batches(tiny).make(torch.arange(45), seeded())
    batch = batches(tiny, **changes).make(torch.arange(45), seeded())
    assert not torch.equal(batch.patches, plain.patches)
    assert torch.equal(batch.classes, plain.classes)
    again = batches(tiny, **changes).make(torch.arange(45), seeded())
    assert torch.equal(batch.patches, again.patches)


def test_weights_of_classes_are_1_on_average_and_balance_by_the_power(tiny: Tiny) -> None:
    _, split = tiny
    train = split.train[np.flatnonzero((split.train.classes != 1) | (split.train.indices % 3 == 0))]
    uneven = dataclasses.replace(split, train=train)
    counts = np.bincount(train.classes)
    assert len(set(counts)) > 1
    assert class_weights(uneven, 0.0) == []
    for power in (0.5, 1.0):
        weights = np.array(class_weights(uneven, power))
        assert (weights * counts).sum() == pytest.approx(len(train))
        np.testing.assert_allclose(weights * counts**power, (weights * counts**power)[0])


def test_a_class_that_does_not_train_has_no_weight(tiny: Tiny) -> None:
    _, split = tiny
    train = split.train[np.flatnonzero(split.train.classes != 2)]
    assert class_weights(dataclasses.replace(split, train=train), 1.0)[2] == 0


def test_the_recipe_that_is_default_draws_what_it_always_drew(tiny: Tiny) -> None:
    source, _ = tiny
    order, by_hand = seeded(), seeded()
    every = Batches(*tiny, Recipe(patch_size=source.patch_size, flips=False))
    every.make(torch.arange(45), order)
    assert torch.equal(order.get_state(), by_hand.get_state())
