"""t-SNE of the embedding before and after training: do the classes come apart?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits

from pdml.errors import InvalidInputError
from pdml.evaluation.colours import class_colours
from pdml.evaluation.layout import MARGIN
from pdml.evaluation.legend import LegendEntry, draw_legend, plan_legend
from pdml.evaluation.picture import DPI

MOST_POINTS = 1500
FEWEST_POINTS = 10
PERPLEXITY = 30.0
ITERATIONS = 500
SIDE = 640  # picture pixels of each of the two squares
TITLE = 60
FONT_SIZE = 9.0


def embedding_picture(
    before: Float[np.ndarray, "n feature"],
    after: Float[np.ndarray, "n feature"],
    classes: Int[np.ndarray, " n"],
    *,
    class_names: Sequence[str],
    colours: Sequence[str] = (),
    seed: int = 0,
) -> Figure:
    """Draws the same pixels embedded by the untrained and by the trained network.

    Each half is a t-SNE of its own: neighbourhoods mean something, axes and distances between
    far groups do not. At most 1500 pixels are shown, drawn from all classes alike.

    Args:
        before: Mean embeddings before training.
        after: Mean embeddings of the same pixels after training.
        classes: True classes 0 to K-1 of these pixels.
        class_names: K names.
        colours: K colours as `#rrggbb`; chosen automatically when empty.
        seed: Of the choice of pixels and of t-SNE.

    Raises:
        InvalidInputError: If the arrays do not belong together, hold NaN or are too few.
    """
    _require_embeddings(before, after, classes)
    chosen = stratified_sample(classes, MOST_POINTS, seed=seed)
    palette = class_colours(len(class_names), colours)
    present = np.unique(classes[chosen])
    entries = [LegendEntry(class_names[one], palette[one]) for one in present]
    gap = MARGIN
    room = (2 * SIDE + gap, SIDE + TITLE)
    plan = plan_legend(entries, room=room, below=True, font_size=FONT_SIZE, dpi=DPI)
    width, height = room[0] + 2 * MARGIN, room[1] + gap + plan.height + 2 * MARGIN
    figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI)
    FigureCanvasAgg(figure)
    bottom = 1 - (MARGIN + TITLE + SIDE) / height
    point_colours = [palette[one] for one in classes[chosen]]
    for position, (title, embedding) in enumerate(
        {"before training": before, "after training": after}.items()
    ):
        left = (MARGIN + position * (SIDE + gap)) / width
        axes = figure.add_axes((left, bottom, SIDE / width, SIDE / height))
        _draw_points(axes, title, in_plane(embedding[chosen], seed=seed), point_colours)
    draw_legend(
        figure,
        entries,
        n_columns=plan.n_columns,
        font_size=FONT_SIZE,
        at=(MARGIN / width, (MARGIN + plan.height) / height),
    )
    return figure


def stratified_sample(
    classes: Int[np.ndarray, " n"], most: int, *, seed: int
) -> Int[np.ndarray, " chosen"]:
    """Positions of at most so many pixels, each class with about its share and at least one.

    Pixels are shuffled within their class and then taken by their relative rank in it, so that
    any number of them holds all classes alike.
    """
    if len(classes) <= most:
        return np.arange(len(classes))
    shuffled = np.random.default_rng(seed).permutation(len(classes))
    order = shuffled[np.argsort(classes[shuffled], kind="stable")]
    _, starts, counts = np.unique(classes[order], return_index=True, return_counts=True)
    rank = (np.arange(len(order)) - np.repeat(starts, counts)) / np.repeat(counts, counts)
    return np.sort(order[np.argsort(rank, kind="stable")[:most]])


def in_plane(embedding: Float[np.ndarray, "n feature"], *, seed: int) -> Float[np.ndarray, "n xy"]:
    """t-SNE in two dimensions, the same for the same seed."""
    perplexity = min(PERPLEXITY, (len(embedding) - 1) / 3)
    tsne = TSNE(
        n_components=2,
        perplexity=perplexity,
        init="random",  # the usual start from principal components fails on a collapsed embedding
        max_iter=ITERATIONS,
        random_state=seed,
    )
    # waiting threads spin: on processors that are shared, two threads take ten times as long as one
    with threadpool_limits(1):
        plane: Float[np.ndarray, "n xy"] = tsne.fit_transform(embedding)
    return plane


def _draw_points(
    axes: Axes, title: str, points: Float[np.ndarray, "n xy"], colours: Sequence[str]
) -> None:
    axes.scatter(points[:, 0], points[:, 1], c=colours, s=7, linewidths=0)
    axes.set_title(title, fontsize=1.1 * FONT_SIZE)
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set(edgecolor="#888888", linewidth=0.5)


def _require_embeddings(
    before: Float[np.ndarray, "n feature"],
    after: Float[np.ndarray, "n feature"],
    classes: Int[np.ndarray, " n"],
) -> None:
    if before.ndim != 2 or after.ndim != 2 or not len(before) == len(after) == len(classes):
        raise InvalidInputError(
            "embeddings must be (pixel, feature) for the same pixels before and after training: "
            f"got shapes {before.shape} and {after.shape} for {len(classes)} classes; "
            "embed the same pixels twice"
        )
    if len(classes) < FEWEST_POINTS:
        raise InvalidInputError(
            f"t-SNE needs at least {FEWEST_POINTS} pixels, got {len(classes)}; embed more pixels"
        )
    for when, embedding in {"before": before, "after": after}.items():
        if not np.isfinite(embedding).all():
            raise InvalidInputError(
                f"embeddings must be finite, got NaN or infinite values {when} training; "
                "look at the training curves, a lower learning rate may help"
            )
