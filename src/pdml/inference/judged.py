"""What a model and all that is known of its doubts say about pixels of a scene.

Without surroundings every pixel is judged as it is predicted. With them, all pixels within reach
are predicted first, those that were asked for listen to them, and are judged then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from pdml.embeddings.patch_model import PatchModel
from pdml.embeddings.predict import (
    PATCHES_AT_ONCE,
    Judge,
    fixed_batches,
    predict_in_batches,
    predict_pixels,
)
from pdml.embeddings.prediction import Prediction, joined
from pdml.inference.surroundings import guide_of, spread, weights_between, within_reach
from pdml.inference.uncertainty import Uncertainty
from pdml.patches.source import PatchSource

Take = Callable[[Int[Tensor, " some"], Prediction], None]


def judged_pixels(
    model: PatchModel,
    uncertainty: Uncertainty,
    source: PatchSource,
    indices: Int[Tensor, " n"],
    *,
    wanted: Sequence[str] = (),
    with_spectra: bool = False,
) -> Prediction:
    """Classifies pixels of a scene, with calibrated probabilities and scores.

    Args:
        model: The model; it is put into evaluation mode and back.
        uncertainty: What is known of its doubts.
        source: The scene's patches, standardised as in training.
        indices: Flat indices of the pixels in the scene, at least one, each once.
        wanted: Scores besides the combined one.
        with_spectra: Also give the mean spectrum of each patch.
    """
    parts: list[Prediction] = []
    judged_in_batches(
        model,
        uncertainty,
        source,
        indices,
        lambda _, part: parts.append(part),
        wanted=wanted,
        with_spectra=with_spectra,
    )
    return joined(parts)


def judged_in_batches(
    model: PatchModel,
    uncertainty: Uncertainty,
    source: PatchSource,
    indices: Int[Tensor, " n"],
    take: Take,
    *,
    wanted: Sequence[str] = (),
    precision: str = "32",
    origin: tuple[int, int] | None = None,
    with_spectra: bool = False,
) -> None:
    """Does the same and hands over what is said about some of the pixels at a time.

    Args:
        model: The model; it is put into evaluation mode and back.
        uncertainty: What is known of its doubts.
        source: The scene's patches; of a crop, as far as the surroundings reach.
        indices: Flat indices of the pixels in the scene, at least one.
        take: Receives which of the indices are predicted, by their numbers, and the prediction.
        wanted: Scores besides the combined one.
        precision: `"32"` or `"bf16"`.
        origin: Row and column of this scene's corner in a larger one that it is a crop of; then
            every result is the same to the last bit in any crop.
        with_spectra: Also give the mean spectrum of each patch.
    """
    judge = partial(uncertainty.judge, wanted=wanted)
    if uncertainty.surroundings is None:
        predict_in_batches(
            model,
            source,
            indices,
            take,
            precision=precision,
            origin=origin,
            judge=judge,
            with_spectra=with_spectra,
        )
        return
    heard = heard_pixels(
        model,
        uncertainty,
        source,
        indices,
        wanted=wanted,
        precision=precision,
        origin=origin,
        with_spectra=with_spectra,
    )
    rows = torch.arange(len(indices), device=indices.device)
    for batch in fixed_batches(indices, source.grid.n_cols, PATCHES_AT_ONCE, origin):
        said = judge(heard.at(batch.filled(rows, PATCHES_AT_ONCE)))
        take(batch.items, said.at(batch.places))


def heard_pixels(
    model: PatchModel,
    uncertainty: Uncertainty,
    source: PatchSource,
    indices: Int[Tensor, " n"],
    *,
    wanted: Sequence[str] = (),
    precision: str = "32",
    origin: tuple[int, int] | None = None,
    with_spectra: bool = False,
) -> Prediction:
    """What is said of pixels after they have listened to their surroundings; not judged yet.

    The arguments are those of `judged_in_batches`; a model that does not listen says the same as
    before.
    """
    surroundings = uncertainty.surroundings
    if surroundings is None:
        return predict_pixels(
            model, source, indices, precision=precision, with_spectra=with_spectra
        )
    said, around = with_surroundings(
        model,
        source,
        indices,
        reach=surroundings.rounds,
        before=partial(uncertainty.before_surroundings, wanted=wanted),
        precision=precision,
        origin=origin,
        with_spectra=with_spectra,
    )
    weights = around.weights(surroundings.scale)
    heard = spread(around.probability, weights, rounds=surroundings.rounds).flatten(1)
    return replace(said, alone=said.probability, probability=heard[:, indices].T.contiguous())


@dataclass(frozen=True)
class Around:
    """What is said of pixels and of all around them, each by its own patch.

    Attributes:
        probability: Of each class, on the grid of the scene; 0 where nothing was said.
        present: Where something was said.
        guide: The spectra, in few values.
    """

    probability: Float[Tensor, "class_ row col"]
    present: Bool[Tensor, "row col"]
    guide: Float[Tensor, "row col stretch"]

    def weights(self, scale: float) -> list[Float[Tensor, "row col"]]:
        """What neighbours count for one another."""
        return weights_between(self.guide, self.present, scale)


def with_surroundings(
    model: PatchModel,
    source: PatchSource,
    indices: Int[Tensor, " n"],
    *,
    reach: int,
    before: Judge | None = None,
    precision: str = "32",
    origin: tuple[int, int] | None = None,
    with_spectra: bool = False,
) -> tuple[Prediction, Around]:
    """What is said of pixels by themselves, and of all measured ones within reach."""
    device = source.table.device
    present = torch.from_numpy(within_reach(indices, source.measured, reach)).to(device)
    near = present.view(-1).nonzero().squeeze(1)
    place_of = torch.full((present.numel(),), -1, device=device)
    place_of[indices] = torch.arange(len(indices), device=device)
    probability = torch.zeros(model.spec.n_classes, *present.shape, device=device)
    flat = probability.view(len(probability), -1)
    kept: list[Prediction] = []
    places: list[Int[Tensor, " some"]] = []

    def note(items: Int[Tensor, " some"], part: Prediction) -> None:
        flat[:, near[items]] = part.probability.float().T
        place = place_of[near[items]]
        if not with_spectra:  # what scores are made of is not kept for a whole tile
            part = replace(part, logits=None, features=None)
        kept.append(part.at((place >= 0).nonzero().squeeze(1)))
        places.append(place[place >= 0])

    predict_in_batches(
        model,
        source,
        near,
        note,
        precision=precision,
        origin=origin,
        judge=before,
        with_spectra=with_spectra,
    )
    said = joined(kept).at(torch.cat(places).argsort())
    return said, Around(probability, present, guide_of(source))
