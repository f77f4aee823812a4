"""Epochs: what they hold, and that the generator's state replays them."""

from __future__ import annotations

from collections import Counter

import pytest
import torch

from pdml.errors import InvalidInputError
from pdml.patches.samplers import m_per_class_batches, shuffled_batches


def generator_of(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_every_position_comes_once_and_the_last_batch_may_be_short() -> None:
    batches = shuffled_batches(23, 5, generator=generator_of())
    assert [len(batch) for batch in batches] == [5, 5, 5, 5, 3]
    assert sorted(torch.cat(batches).tolist()) == list(range(23))
    assert torch.cat(batches).tolist() != list(range(23))


def test_a_short_last_batch_can_be_dropped_unless_it_is_the_only_one() -> None:
    def sizes(n: int) -> list[int]:
        return [
            len(one) for one in shuffled_batches(n, 5, generator=generator_of(), drop_last=True)
        ]

    assert sizes(23) == [5, 5, 5, 5]
    assert sizes(20) == [5, 5, 5, 5]
    assert sizes(3) == [3]


def test_the_state_of_the_generator_replays_an_epoch() -> None:
    generator = generator_of()
    shuffled_batches(50, 8, generator=generator)
    state = generator.get_state()
    second = torch.cat(shuffled_batches(50, 8, generator=generator))
    assert not torch.equal(second, torch.cat(shuffled_batches(50, 8, generator=generator)))
    generator.set_state(state)
    assert torch.equal(second, torch.cat(shuffled_batches(50, 8, generator=generator)))


CLASSES = torch.tensor([0] * 40 + [2] * 3 + [5] * 20 + [7] * 17)


def test_each_batch_holds_m_pixels_of_each_of_its_classes() -> None:
    batches = m_per_class_batches(CLASSES, 4, 12, generator=generator_of())
    assert len(batches) == 80 // 12
    for batch in batches:
        assert sorted(Counter(CLASSES[batch].tolist()).values()) == [4, 4, 4]


def test_a_class_is_gone_through_before_a_pixel_comes_again() -> None:
    batches = m_per_class_batches(CLASSES, 2, 8, generator=generator_of())
    for number in (0, 2, 5, 7):
        members = set(torch.nonzero(CLASSES.eq(number)).view(-1).tolist())
        seen = [place for place in torch.cat(batches).tolist() if place in members]
        for start in range(0, len(seen) - len(members) + 1, len(members)):
            assert set(seen[start : start + len(members)]) == members
    rare = [place for place in torch.cat(batches).tolist() if 40 <= place < 43]
    assert len(rare) == 2 * len(batches)


def test_the_state_of_the_generator_replays_an_epoch_of_classes() -> None:
    first, again, other = (
        torch.cat(m_per_class_batches(CLASSES, 4, 8, generator=generator_of(seed)))
        for seed in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_few_pixels_still_give_one_full_batch() -> None:
    batches = m_per_class_batches(torch.tensor([0, 1]), 4, 8, generator=generator_of())
    assert [len(batch) for batch in batches] == [8]


def test_a_batch_size_that_m_does_not_divide_is_refused() -> None:
    with pytest.raises(
        InvalidInputError, match=r"multiple of m, got batch size 10 and m = 4; try .* of 8"
    ):
        m_per_class_batches(CLASSES, 4, 10, generator=generator_of())


def test_more_classes_than_there_are_is_refused() -> None:
    with pytest.raises(
        InvalidInputError, match=r"needs 5 classes, the training pixels have 4; .* at most 16"
    ):
        m_per_class_batches(CLASSES, 4, 20, generator=generator_of())


def test_nothing_to_visit_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="at least one training pixel, got none"):
        shuffled_batches(0, 4, generator=generator_of())
    with pytest.raises(InvalidInputError, match="batch size must be at least 1, got 0"):
        shuffled_batches(4, 0, generator=generator_of())
