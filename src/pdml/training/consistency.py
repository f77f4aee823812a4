"""Consistency on pixels without a label: the network is to say what its averaged weights say.

A mean teacher (Tarvainen and Valpola, 2017). The teacher is the running average of the weights,
which is kept anyway; it sees the patches as they are, the network sees them augmented.
"""

from __future__ import annotations

import torch
from torch.nn.functional import mse_loss

from pdml.embeddings.model import Model
from pdml.embeddings.predict import evaluating, lower_precision
from pdml.patches.augment import dihedral
from pdml.patches.illumination import darkness
from pdml.patches.source import PatchSource
from pdml.patches.unlabelled import unlabelled_pixels
from pdml.splits.split import Split
from pdml.training.augmentation import seen_differently
from pdml.training.batch import Batch, Lesson
from pdml.training.recipe import Recipe

RISE = 0.3
"""Share of the run over which the weight of the term grows from nothing: the teacher knows nothing
at first."""


class Teaching:
    """Adds lessons to batches, if the recipe wants some.

    Args:
        source: The scene's patches.
        split: Its training pixels have labels, and are left out; so are test pixels with all
            around them, unless the recipe says otherwise.
        recipe: Weight of the term, and what is done to the patches that the network sees.
    """

    def __init__(self, source: PatchSource, split: Split, recipe: Recipe) -> None:
        self._source = source
        self._recipe = recipe
        self._dark = darkness(source.standardiser)
        if recipe.lambda_consistency > 0:
            pool = unlabelled_pixels(source, split, recipe.unlabelled)
            self._pool = torch.from_numpy(pool).to(source.table.device)

    def added(
        self,
        batch: Batch,
        teacher: Model,
        order: torch.Generator,
        *,
        progress: float,
    ) -> Batch:
        """The batch with as many patches without a label.

        Args:
            batch: Patches with labels.
            teacher: The averaged weights.
            order: Where the choice of pixels and their augmentation come from.
            progress: Share of the run that is done.
        """
        recipe = self._recipe
        if recipe.lambda_consistency == 0:
            return batch
        drawn = torch.randint(len(self._pool), (len(batch.classes),), generator=order)
        patches = self._source.gather(self._pool[drawn.to(self._pool.device)])
        with (
            torch.no_grad(),
            evaluating(teacher),
            lower_precision(patches.device, recipe.precision),
        ):
            _, logits = teacher(patches)
        seen = dihedral(patches, order) if recipe.flips else patches
        seen = seen_differently(seen, recipe, order, dark=self._dark)
        weight = recipe.lambda_consistency * min(1.0, progress / RISE)
        return batch._replace(lesson=Lesson(seen, logits.float().softmax(dim=1), weight))


def consistency_loss(model: torch.nn.Module, lesson: Lesson) -> torch.Tensor:
    """Squared difference of the probabilities, summed over the classes, unweighted."""
    _, logits = model(lesson.patches)
    said = logits.float().softmax(dim=1)
    return mse_loss(said, lesson.taught, reduction="sum") / len(said)
