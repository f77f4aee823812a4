"""Pairs and triplets are drawn evenly from those that there are."""

from __future__ import annotations

from collections import Counter

import torch

from pdml.losses.members import Members, as_points

CLASSES = torch.tensor([5, 1, 5, 3, 1, 5, 1, 5])  # class 3 has a single point


def test_a_pair_of_every_class_with_two_is_drawn_evenly() -> None:
    torch.manual_seed(0)
    members = Members.of(CLASSES)
    counts: Counter[tuple[int, int]] = Counter()
    for _ in range(3000):
        first, second = members.draw_pairs()
        counts.update(zip(first.tolist(), second.tolist(), strict=True))
    of_one = [(i, j) for i in (1, 4, 6) for j in (1, 4, 6) if i != j]
    of_five = [(i, j) for i in (0, 2, 5, 7) for j in (0, 2, 5, 7) if i != j]
    assert set(counts) == set(of_one) | set(of_five)
    assert all(abs(counts[pair] - 500) < 100 for pair in of_one)
    assert all(abs(counts[pair] - 250) < 75 for pair in of_five)


def test_every_anchor_gets_even_positives_and_negatives() -> None:
    torch.manual_seed(0)
    members = Members.of(CLASSES)
    anchors, positives = members.draw_positives(2000)
    negatives = members.draw_negatives(CLASSES, anchors)
    assert Counter(anchors.tolist()) == dict.fromkeys((0, 1, 2, 4, 5, 6, 7), 2000)
    for anchor in (1, 7):
        own = CLASSES[anchor] == CLASSES
        others = {i for i in range(8) if own[i] and i != anchor}
        drawn = Counter(positives[anchors == anchor].tolist())
        assert set(drawn) == others
        assert max(drawn.values()) - min(drawn.values()) < 200
        strangers = Counter(negatives[anchors == anchor].tolist())
        assert set(strangers) == {i for i in range(8) if not own[i]}
        assert max(strangers.values()) - min(strangers.values()) < 150


def test_of_too_many_points_random_ones_are_kept_with_their_classes() -> None:
    samples = torch.arange(12.0).view(6, 2, 1)
    points, classes = as_points(samples, torch.arange(6), most=5)
    assert len(points) == 5
    assert len(set(points.flatten().tolist())) == 5
    assert torch.equal(torch.div(points.flatten(), 2, rounding_mode="floor").long(), classes)
    assert torch.equal(as_points(samples, torch.arange(6))[0], samples.flatten(0, 1))
