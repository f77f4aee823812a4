"""The mean teacher: which pixels it sees, what it says, and how much that counts."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from pdml.embeddings.model import Model
from pdml.patches.source import PatchSource
from pdml.patches.unlabelled import unlabelled_pixels
from pdml.splits.split import Split
from pdml.training.batch import Batch, Lesson
from pdml.training.consistency import RISE, Teaching, consistency_loss
from pdml.training.loop import train
from tests.training.tiny import GAUSSIAN, spec_for

Tiny = tuple[PatchSource, Split]
TAUGHT = GAUSSIAN.changed(
    {"averaging": 0.9, "lambda_consistency": 2.0, "unlabelled": "scene", "flips": False}
)


def seeded() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def labelled(tiny: Tiny, n: int = 8) -> Batch:
    source, split = tiny
    indices = torch.from_numpy(split.train.indices[:n])
    return Batch(source.gather(indices), torch.from_numpy(split.train.classes[:n]))


@pytest.fixture
def teacher() -> Model:
    torch.manual_seed(0)
    return Model(spec_for(TAUGHT))


def test_the_teacher_says_what_it_thinks_of_pixels_that_are_allowed(
    tiny: Tiny, teacher: Model
) -> None:
    source, split = tiny
    batch = Teaching(source, split, TAUGHT).added(labelled(tiny), teacher, seeded(), progress=1.0)
    assert batch.lesson is not None
    pool = torch.from_numpy(unlabelled_pixels(source, split, "scene"))
    chosen = pool[torch.randint(len(pool), (8,), generator=seeded())]
    assert torch.equal(batch.lesson.patches, source.gather(chosen))
    assert teacher.training  # as it was
    with torch.no_grad():
        _, logits = copy.deepcopy(teacher).eval()(batch.lesson.patches)
    torch.testing.assert_close(batch.lesson.taught, logits.softmax(1))


def test_the_network_sees_augmented_patches_and_the_teacher_does_not(
    tiny: Tiny, teacher: Model
) -> None:
    def lesson(**changes: object) -> Lesson:
        teaching = Teaching(*tiny, TAUGHT.changed(changes))
        found = teaching.added(labelled(tiny), teacher, seeded(), progress=1.0).lesson
        assert found is not None
        return found

    plain, noisy = lesson(), lesson(illumination=0.2, band_dropout=0.2, flips=True)
    assert torch.equal(plain.taught, noisy.taught)
    assert not torch.equal(plain.patches, noisy.patches)


def test_the_weight_rises_from_nothing(tiny: Tiny, teacher: Model) -> None:
    teaching = Teaching(*tiny, TAUGHT)
    weights = []
    for progress in (0.0, RISE / 2, RISE, 0.9):
        lesson = teaching.added(labelled(tiny), teacher, seeded(), progress=progress).lesson
        assert lesson is not None
        weights.append(lesson.weight)
    assert weights == pytest.approx([0, 1.0, 2.0, 2.0])


def test_without_the_term_nothing_is_added_or_drawn(tiny: Tiny, teacher: Model) -> None:
    generator, batch = seeded(), labelled(tiny)
    teaching = Teaching(*tiny, GAUSSIAN)
    assert teaching.added(batch, teacher, generator, progress=0.5) is batch
    assert torch.equal(generator.get_state(), seeded().get_state())


def test_the_loss_is_the_squared_difference_summed_over_classes() -> None:
    logits = torch.tensor([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]])
    taught = torch.tensor([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])

    class Says(nn.Module):
        def forward(self, patches: torch.Tensor) -> tuple[None, torch.Tensor]:
            return None, logits

    found = consistency_loss(Says(), Lesson(torch.zeros(2, 1, 1, 1), taught, 1.0))
    by_hand = sum(
        float((p - q) ** 2)
        for said, right in zip(logits.softmax(1), taught, strict=True)
        for p, q in zip(said, right, strict=True)
    )
    assert found.item() == pytest.approx(by_hand / 2)


def test_the_row_of_an_epoch_says_how_consistent_it_was_and_the_total_counts_it(
    tiny: Tiny,
) -> None:
    recipe = TAUGHT.changed({"epochs": 3, "lambda_consistency": 4.0})
    rows = train(*tiny, recipe).history
    assert all(row["consistency"] >= 0 for row in rows)
    last = rows[-1]  # from three tenths of the run on the weight is full
    without = last["pairs"] + last["variance"] + last["classes"]
    assert last["total"] == pytest.approx(without + 4.0 * last["consistency"], rel=1e-5)
