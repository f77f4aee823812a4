"""Pictures of the uncertainty: is it calibrated, does it find mistakes, does it notice trouble?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from pdml.evaluation.colours import FIRST_TEN
from pdml.evaluation.doubt_quality import BASELINE
from pdml.evaluation.metrics import (
    DoubtRecord,
    ReliabilityRecord,
    ResponseRecord,
    UncertaintyRecord,
)
from pdml.evaluation.picture import DPI

SCORE_COLOURS = {
    "doubt": "#222222",
    BASELINE: "#801a1a",
    "entropy": "#996600",
    "mismatch": "#3380e6",
    "distance": "#4d9966",
    "distance_ratio": "#66c2cc",
    "neighbour_ratio": "#e68a2e",
    "variance": "#801a4d",
}
LABELS = {"doubt": "doubt (combined)", BASELINE: "max softmax (baseline)"}
BEFORE, AFTER, IDEAL = "#9db7dd", FIRST_TEN[0], "#888888"
SMALL = 8.0
CHANGES = {
    "band_noise": "noise, std of a band",
    "dead_bands": "share of dead bands",
    "mixed_pixels": "share of another class",
}


def reliability_picture(record: UncertaintyRecord) -> Figure:
    """What the map says against what is so, before and after the temperature."""
    figure, axes = _figure(4.6, 3.4)
    axes.plot([0, 1], [0, 1], "--", color=IDEAL, linewidth=0.9, label="says what is so")
    bins = record["reliability"]
    if record.get("temperature") is not None:
        _draw_bins(axes, bins["before"], BEFORE, "as the network says it")
        _draw_bins(axes, bins["after"], AFTER, f"temperature {record['temperature']:.2f}")
    else:
        _draw_bins(axes, bins["before"], AFTER, "no temperature fitted")
    axes.set_xlabel("stated probability of the shown class", fontsize=SMALL + 1)
    axes.set_ylabel("share that is right", fontsize=SMALL + 1)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(PercentFormatter(1.0))
    _legend(axes)
    return figure


def risk_picture(record: UncertaintyRecord) -> Figure:
    """The error rate among the pixels that are left when the most doubtful are put aside."""
    figure, axes = _figure(5.6, 3.4)
    for name, score in record["scores"].items():
        axes.plot(
            score["coverage"],
            score["risk"],
            color=SCORE_COLOURS.get(name, IDEAL),
            linewidth=1.8 if name in LABELS else 1.1,
            label=_named(name, score),
        )
    error_rate = record["error_rate"]
    coverage = np.linspace(0.025, 1, 100)
    ideal = np.clip(coverage - (1 - error_rate), 0, None) / coverage
    axes.plot(coverage, ideal, ":", color=IDEAL, linewidth=1.2, label="ideal")
    axes.set_xlabel("share of the pixels that is kept, least doubtful first", fontsize=SMALL + 1)
    axes.set_ylabel("share of them that is wrong", fontsize=SMALL + 1)
    axes.set_xlim(0, 1)
    # The risk of the first few pixels is a matter of chance and would flatten all others.
    axes.set_ylim(0, min(1.0, 1.5 * error_rate) or 1.0)
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=None))
    _legend(axes, title="AUROC of wrong against right")
    return figure


def response_picture(response: Mapping[str, ResponseRecord]) -> Figure:
    """How often a changed pixel is more doubtful than an unchanged one, by strength of change."""
    figure = Figure(figsize=(7.6, 3.0), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    shown = [name for name in CHANGES if name in response]
    panels = list(figure.subplots(1, len(shown), sharey=True, squeeze=False)[0])
    for axes, name in zip(panels, shown, strict=True):
        strengths = response[name]["strengths"]
        places = range(len(strengths))
        axes.axhline(0.5, color=IDEAL, linestyle=":", linewidth=1.2)
        for score, answers in response[name]["scores"].items():
            axes.plot(
                places,
                answers,
                "o-",
                markersize=3.5,
                color=SCORE_COLOURS.get(score, IDEAL),
                linewidth=1.8 if score in LABELS else 1.1,
                label=LABELS.get(score, score.replace("_", " ")),
            )
        axes.set_xticks(places, [f"{strength:g}" for strength in strengths])
        axes.set_xlabel(CHANGES[name], fontsize=SMALL + 1)
        _plain(axes)
    panels[0].set_ylabel("more doubtful than unchanged", fontsize=SMALL + 1)
    panels[0].yaxis.set_major_formatter(PercentFormatter(1.0))
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", frameon=False, fontsize=SMALL)
    return figure


def _draw_bins(axes: Axes, bins: ReliabilityRecord, colour: str, label: str) -> None:
    """Dots whose area says how many pixels they stand for."""
    count = np.array(bins["count"])
    there = count > 0
    size = 12 + 110 * count[there] / count.sum()
    stated, accuracy = np.array(bins["stated"])[there], np.array(bins["accuracy"])[there]
    axes.plot(stated, accuracy, color=colour, linewidth=1.1)
    axes.scatter(stated, accuracy, s=size, color=colour, label=label, zorder=3, linewidths=0)


def _named(name: str, score: DoubtRecord) -> str:
    known = score["auroc"]
    label = LABELS.get(name, name.replace("_", " "))
    return label if known is None else f"{known:.3f}  {label}"


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width + 2.0, height), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    _plain(axes)
    return figure, axes


def _plain(axes: Axes) -> None:
    axes.tick_params(labelsize=SMALL)
    axes.grid(color="#e5e5e5", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _legend(axes: Axes, title: str = "") -> None:
    legend = axes.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=SMALL, title=title,
        borderaxespad=0, alignment="left",
    )  # fmt: skip
    legend.get_title().set_fontsize(SMALL)
    for handle in legend.legend_handles:
        if isinstance(handle, PathCollection):
            handle.set_sizes([30])
