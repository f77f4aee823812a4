"""Draws the figures of the documentation with the project's own code.

Run it with `python docs/figures/make_figures.py`; it overwrites the pictures beside it. Names of
figures choose some of them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

import pdml
from pdml.embeddings.gaussian import GaussianEmbedding
from pdml.evaluation.compared_maps import compared_maps_picture
from pdml.evaluation.picture import save_picture
from pdml.losses.lap_variance import hinge_form, log_form, paper_form
from pdml.losses.laps import laps
from pdml.losses.match_probability import log_mean_sigmoid, match_logit

BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#999999"
DPI = 150
PATCH_SIZE = 5
SAMPLES = 60
COORDINATES = 64  # r, the dimension of the embedding


def figure(width: float, height: float) -> Figure:
    """An empty figure of a size in inches."""
    return Figure(figsize=(width, height), dpi=DPI, layout="constrained")


def plain_axes(axes: Axes, *, title: str, x: str, y: str) -> None:
    """Names the axes and takes away the frame that says nothing."""
    axes.set(title=title, xlabel=x, ylabel=y)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)


def laps_figure() -> Figure:
    """The laps of a patch, numbered as in the paper."""
    picture = figure(3.2, 3.4)
    axes = picture.subplots()
    lap = laps(PATCH_SIZE).numpy() + 1
    axes.imshow(lap, cmap=ListedColormap(["#0b3c5d", "#5fa3cf", "#d9ecf7"]))
    for (row, col), number in np.ndenumerate(lap):
        colour = "black" if number == lap.max() else "white"
        axes.text(col, row, str(number), ha="center", va="center", color=colour, fontsize=13)
    axes.set_xticks(np.arange(0.5, PATCH_SIZE - 1), minor=True)
    axes.set_yticks(np.arange(0.5, PATCH_SIZE - 1), minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
    axes.tick_params(which="both", length=0, labelbottom=False, labelleft=False)
    axes.spines[:].set_visible(False)
    axes.set_title("laps of a 5 x 5 patch: 1, 8 and 16 pixels", fontsize=10)
    return picture


def match_figure() -> Figure:
    """The match probability of two pixels against the distance of their means."""
    picture = figure(6.4, 3.4)
    axes = picture.subplots()
    distances = torch.linspace(0, 10, 101)
    slope, threshold = torch.tensor(2.0), torch.tensor(8.0)
    for std, colour in ((0.0, BLUE), (0.2, GREEN), (0.4, ORANGE)):
        label = "no variance" if std == 0 else f"standard deviation {std}"
        axes.plot(
            distances,
            match_probability(distances, std, slope, threshold),
            color=colour,
            label=label,
        )
    axes.axvline(4, color=GREY, linestyle=":", linewidth=1)
    axes.text(4.1, 0.96, "b / a", color="#555555", va="top")
    plain_axes(
        axes,
        title="a = 2, b = 8, embedding in 64 dimensions",
        x="distance of the means",
        y="match probability",
    )
    axes.legend(frameon=False)
    return picture


def match_probability(
    distances: Float[torch.Tensor, " n"],
    std: float,
    slope: Float[torch.Tensor, ""],
    threshold: Float[torch.Tensor, ""],
) -> Float[torch.Tensor, " n"]:
    """Mean over sample pairs of two Gaussians whose means lie some distance apart (Eq. 13)."""
    log_variance = torch.full((1, 1, 2, COORDINATES), 2 * float(np.log(max(std, 1e-20))))
    probabilities = []
    for distance in distances:
        mean = torch.zeros(1, 1, 2, COORDINATES)
        mean[0, 0, 1, 0] = distance
        generator = torch.Generator().manual_seed(0)  # the same noise everywhere: a smooth curve
        pair = GaussianEmbedding(mean, log_variance).sample(SAMPLES, generator=generator)[0, 0]
        logits = match_logit(torch.cdist(pair[0], pair[1]), slope, threshold)
        probabilities.append(log_mean_sigmoid(logits).exp())
    return torch.stack(probabilities)


def lap_term_figure() -> Figure:
    """The three forms of the lap-variance term for one step from an inner to an outer lap."""
    picture = figure(6.4, 3.4)
    axes = picture.subplots()
    outer = torch.linspace(0.2, 3, 200)
    v = torch.stack([torch.ones_like(outer), outer], dim=1)  # the inner lap has v = 1
    forms = {
        "paper": (paper_form(v, 0.2), GREY, "--"),
        "hinge": (hinge_form(v, 0.2), BLUE, "-"),
        "log": (log_form(2 * v.log(), 0.2), ORANGE, "-"),
    }
    for name, (penalty, colour, style) in forms.items():
        axes.plot(outer, penalty[:, 0], color=colour, linestyle=style, label=name)
    axes.axhline(0, color="black", linewidth=0.6)
    plain_axes(
        axes,
        title="inner v = 1, alpha = 0.2",
        x="v of the outer lap",
        y="penalty",
    )
    axes.legend(frameon=False)
    return picture


def splits_figure() -> Figure:
    """Indian Pines split at random and in blocks, with the test pixels that see training."""
    data = pdml.load_dataset("indian_pines")
    splits = {
        "random": pdml.split_random(data.labels, seed=0),
        "blocks": pdml.split_blocks(data.labels, patch_size=PATCH_SIZE, seed=0),
    }
    colours = {
        "unlabelled or dropped": "#ffffff",
        "training": BLUE,
        "validation": "#9ecae1",
        "test": GREEN,
        "test, training pixel inside its patch": ORANGE,
    }
    picture = figure(8.4, 4.9)
    panels = picture.subplots(1, 2)
    for axes, (name, split) in zip(panels, splits.items(), strict=True):
        shown = np.zeros(split.scene_shape, dtype=np.int8)
        shown.flat[split.train.indices] = 1
        shown.flat[split.validation.indices] = 2
        shown.flat[split.test.indices] = np.where(sees_training(split), 4, 3)
        share = pdml.leakage(split, PATCH_SIZE).own_patch_share
        axes.imshow(shown, cmap=ListedColormap(list(colours.values())), vmin=0, vmax=4)
        axes.set_title(f"{name}: {share:.1%} of the test pixels see training", fontsize=11)
        axes.tick_params(length=0, labelbottom=False, labelleft=False)
    handles = [
        picture.axes[0].plot([], [], "s", color=colour, label=label)[0]
        for label, colour in list(colours.items())[1:]
    ]
    picture.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False)
    return picture


def sees_training(split: pdml.Split) -> np.ndarray:
    """Which test pixels have a training pixel inside their own patch, one by one."""
    n_rows, n_cols = split.scene_shape
    training = np.zeros((n_rows, n_cols), dtype=bool)
    training.flat[split.train.indices] = True
    half = PATCH_SIZE // 2
    padded = np.pad(training, half)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (PATCH_SIZE, PATCH_SIZE))
    seen: np.ndarray = windows.any(axis=(2, 3)).ravel()[split.test.indices]
    return seen


def surroundings_figure() -> Figure:
    """Indian Pines by a network trained on blocks: every pixel by itself, and after it listened."""
    data = pdml.load_dataset("indian_pines")
    split = pdml.split_blocks(data.labels, patch_size=PATCH_SIZE, seed=0)
    recipe = pdml.load_recipe("default").changed({"epochs": 10, "precision": "32"})
    source = pdml.patch_source(data.scene, split, recipe)
    trained = pdml.train(source, split, recipe, seed=0)
    maps = {}
    for title, listens in (("each pixel by itself", "none"), ("with its surroundings", "auto")):
        known = pdml.fit_uncertainty(trained, source, split, surroundings=listens)
        bundle = pdml.make_bundle(trained.model, source, split.class_names, uncertainty=known)
        class_map = pdml.map_scene(bundle, data.scene)
        accuracy = pdml.score_map(class_map, split).oa
        maps[f"{title}, OA {accuracy:.1%}"] = class_map.classes + 1
    return compared_maps_picture(data.scene, data.labels, maps, customary_bands=data.card.rgb_bands)


FIGURES = {
    "laps": laps_figure,
    "match_probability": match_figure,
    "lap_term": lap_term_figure,
    "splits": splits_figure,
    "surroundings": surroundings_figure,
}


def main() -> None:
    """Draws the figures that are named, or all."""
    for name in sys.argv[1:] or FIGURES:
        draw = FIGURES[name]
        save_picture(draw(), Path(__file__).with_name(f"{name}.png"))


if __name__ == "__main__":
    main()
