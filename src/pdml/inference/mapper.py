"""`map_scene`: a model and a scene become a class map, tile by tile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from pdml.embeddings.prediction import Prediction
from pdml.errors import InvalidInputError
from pdml.inference.ahead import one_ahead
from pdml.inference.bundle import Bundle
from pdml.inference.class_map import ClassMap
from pdml.inference.judged import judged_in_batches
from pdml.inference.plan import Tile, plan_tiles
from pdml.patches.source import PatchSource
from pdml.scenes.crop import crop
from pdml.scenes.scene import Scene

PIXELS_BETWEEN_REPORTS = 2**13
"""Within a tile somebody is told of progress this often; a tile may take minutes."""


def map_scene(
    bundle: Bundle,
    scene: Scene,
    *,
    tile_pixels: int = 512,
    device: torch.device | str = "cpu",
    precision: str = "32",
    scores: Sequence[str] = (),
    on_tile: Callable[[int, int], None] | None = None,
) -> ClassMap:
    """Classifies every measured pixel of a scene.

    Memory beyond the result grows with the tile, not with the scene, unless the model sees features
    of the whole scene; and the result is the same to
    the last bit whatever the tile.

    Args:
        bundle: The model.
        scene: A scene with the bands that the model was trained on.
        tile_pixels: Side of a tile.
        device: Where the network runs.
        precision: `"32"` or `"bf16"`.
        scores: Measures of doubt that are wanted besides the combined one.
        on_tile: Called after each tile, and now and then within it, with the pixels that are done
            and those of the scene.

    Raises:
        InvalidInputError: If the scene has other bands than the model, or is smaller than a patch.
    """
    shape = scene.shape[:2]
    whole = empty_map(bundle, shape, scores)
    tiles = plan_tiles(shape, halo=bundle.halo_pixels, tile_shape=(tile_pixels, tile_pixels))
    n_done = 0

    def within(n_pixels: int) -> None:
        if on_tile:
            on_tile(n_done + n_pixels, whole.measured.size)

    parts = map_tiles(
        bundle, scene, tiles, device=device, precision=precision, scores=scores, on_pixels=within
    )
    for tile, part in parts:
        place = tile.target.slices
        whole.probability[place] = part.probability
        whole.measured[place] = part.measured
        if whole.embedding_variance is not None:
            whole.embedding_variance[place] = part.embedding_variance
        for name, score in whole.scores.items():
            score[place] = part.scores[name]
        n_done += part.measured.size
        if on_tile:
            on_tile(n_done, whole.measured.size)
    return whole


def map_tiles(
    bundle: Bundle,
    scene: Scene,
    tiles: Iterable[Tile],
    *,
    device: torch.device | str = "cpu",
    precision: str = "32",
    scores: Sequence[str] = (),
    on_pixels: Callable[[int], None] | None = None,
) -> Iterator[tuple[Tile, ClassMap]]:
    """Classifies a scene and hands over each tile with the map of its target.

    The next tile is read while the network computes. Features, if the model sees any, are computed
    for the whole scene before the first tile, and are in memory until the last one.

    Args:
        bundle: The model.
        scene: A scene with the bands that the model was trained on.
        tiles: The tiles.
        device: Where the network runs.
        precision: `"32"` or `"bf16"`.
        scores: Measures of doubt that are wanted besides the combined one.
        on_pixels: Called now and then within a tile with how many of its pixels are done.

    Raises:
        InvalidInputError: If the scene has other bands than the model, or is smaller than a patch.
    """
    model = bundle.model.to(device)
    scene = bundle.fitted(scene)
    require_scores(bundle, scores)
    seen = bundle.seen(scene)  # features of a whole scene are not those of a tile

    def read(tile: Tile) -> tuple[Tile, PatchSource]:
        source = PatchSource(
            crop(seen, tile.source),
            bundle.standardiser,
            patch_size=model.spec.patch_size,
            border=bundle.border,
            device=device,
            whole_shape=seen.shape[:2],
            double=model.in_double,
        )
        return tile, source

    for tile, source in one_ahead(read, tiles):
        part = _map_tile(
            bundle, source, tile, precision=precision, scores=scores, on_pixels=on_pixels
        )
        del source  # or it would still be there when the tile after the next is read
        yield tile, part


def require_scores(bundle: Bundle, names: Sequence[str]) -> None:
    """Checks that a model has the scores that are wanted of it.

    Raises:
        UnknownNameError: If there is no such score.
        InvalidInputError: If the model lacks what it is made of.
    """
    n_classes, gaussians = len(bundle.class_names), bundle.uncertainty.gaussians
    known = bundle.uncertainty.unknown
    probability = torch.full((1, n_classes), 1 / n_classes)
    mean = torch.zeros(1, gaussians.mean.shape[1] if gaussians else 0)
    variance = torch.ones(1) if bundle.model.has_variance else None
    features = None if known is None else known.features.means[:1].to(mean.device)
    some = Prediction(probability, mean, variance, probability.log(), features=features)
    judged = bundle.uncertainty.judge(some, names)
    for name in names:
        if name not in judged.scores:
            raise InvalidInputError(
                f"this model must have what '{name}' is made of, it has not: its embedding has no "
                "variance, its loss learnt no match probability, it does not listen to its "
                "surroundings, or it was trained before there were scores; leave the score out, or "
                "train again with head = 'gaussian' and surroundings = 'auto'"
            )


def empty_map(bundle: Bundle, shape: tuple[int, int], scores: Sequence[str] = ()) -> ClassMap:
    """The map of a scene of which nothing was measured."""
    names = dict.fromkeys([*bundle.uncertainty.score_names, *scores])
    return ClassMap(
        np.zeros((*shape, len(bundle.class_names)), dtype=np.float32),
        np.zeros(shape, dtype=np.float32) if bundle.model.has_variance else None,
        np.zeros(shape, dtype=bool),
        bundle.class_names,
        bundle.colours,
        scores={name: np.zeros(shape, dtype=np.float32) for name in names},
        has_probability=bundle.model.has_probability,
    )


def _map_tile(
    bundle: Bundle,
    source: PatchSource,
    tile: Tile,
    *,
    precision: str,
    scores: Sequence[str],
    on_pixels: Callable[[int], None] | None,
) -> ClassMap:
    found = empty_map(bundle, tile.target.shape, scores)
    indices, found.measured[...] = _measured_in_target(source, tile)
    if not len(indices):
        return found
    probability = found.probability.reshape(-1, len(bundle.class_names))
    variance = None if found.embedding_variance is None else found.embedding_variance.reshape(-1)
    flat = {name: score.reshape(-1) for name, score in found.scores.items()}
    place_of = np.flatnonzero(found.measured)
    n_done = n_told = 0

    def take(items: Tensor, part: Prediction) -> None:
        nonlocal n_done, n_told
        here = place_of[items.cpu().numpy()]
        probability[here] = part.probability.cpu().numpy()
        if variance is not None and part.variance is not None:
            variance[here] = part.variance.cpu().numpy()
        for name, score in flat.items():
            score[here] = part.scores[name].cpu().numpy()
        n_done += len(here)
        due = n_done - n_told >= PIXELS_BETWEEN_REPORTS and n_done < len(indices)
        if on_pixels and due:
            n_told = n_done
            on_pixels(n_done)

    judged_in_batches(
        bundle.model,
        bundle.uncertainty,
        source,
        torch.from_numpy(indices).to(source.table.device),
        take,
        wanted=scores,
        precision=precision,
        origin=(tile.source.row_start, tile.source.col_start),
    )
    return found


def _measured_in_target(
    source: PatchSource, tile: Tile
) -> tuple[Int[np.ndarray, " n"], Bool[np.ndarray, "row col"]]:
    """Flat indices in the source of the target's measured pixels, and which of the target's are."""
    target = np.zeros(tile.source.shape, dtype=bool)
    rows = slice(*_from(tile.source.row_start, tile.target.row_start, tile.target.row_stop))
    cols = slice(*_from(tile.source.col_start, tile.target.col_start, tile.target.col_stop))
    target[rows, cols] = source.measured[rows, cols]
    return np.flatnonzero(target), target[rows, cols]


def _from(origin: int, start: int, stop: int) -> tuple[int, int]:
    return start - origin, stop - origin
