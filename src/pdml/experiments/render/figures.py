"""The figure of a sweep."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pdml.evaluation.compared_maps import compared_maps_picture
from pdml.evaluation.detector_plot import detectors_picture
from pdml.evaluation.embedding_plot import FEWEST_POINTS, embedding_picture
from pdml.evaluation.score_plot import ScoredPoint, dots_picture, groups_picture, lines_picture
from pdml.experiments.render.caption import short_caption
from pdml.experiments.render.gathered import SCORES, Gathered, VariantRuns
from pdml.experiments.render.unknown_table import DETECTORS, aurocs
from pdml.experiments.subject import Subject, require_labels
from pdml.experiments.sweep.scene import sweep_subject
from pdml.experiments.sweep.store import Record, SweepFolder

SHOW_THE_SCENE = ("maps", "embedding")
DRAWN = ("max_softmax", "mahalanobis", "features", "unknown")
TABLES_ALONE = ("time", "search")


def draw_figure(
    gathered: Gathered, folder: SweepFolder, subject: Subject | None = None
) -> Figure | None:
    """Draws what the experiment shows; None for tables alone, or while there is nothing to draw.

    Args:
        gathered: The sweep.
        folder: Its folder.
        subject: Its scene; opened if the figure shows it and it is not given.
    """
    if not gathered.records or gathered.experiment.shows in TABLES_ALONE:
        return None
    if gathered.experiment.shows in SHOW_THE_SCENE:
        subject = subject or sweep_subject(gathered.manifest["dataset"], twin=gathered.twin)
        draw = draw_maps if gathered.experiment.shows == "maps" else _embedding
        return draw(gathered, folder, subject)
    if gathered.experiment.shows == "unknown":
        panels = {
            runs.variant.name: {DETECTORS[name]: aurocs(runs, name) for name in DRAWN}
            for runs in gathered.runs
            if runs.records
        }
        return detectors_picture(panels, caption=short_caption(gathered))
    if gathered.experiment.shows == "splits":
        points = [_point(runs, gathered) for runs in gathered.runs]
        return groups_picture(points, caption=short_caption(gathered))
    if gathered.experiment.shows == "curve":
        points = [_point(runs, gathered) for runs in gathered.runs]
        axis = gathered.experiment.axis
        return lines_picture(points, axis=axis, caption=short_caption(gathered))
    return dots_picture(_rows(gathered), caption=short_caption(gathered))


def _rows(gathered: Gathered) -> list[ScoredPoint]:
    """Quoted methods that are not ours, then our variants with the paper's number for each."""
    own = {runs.variant.quoted_name for runs in gathered.runs}
    others = [
        ScoredPoint(name, quoted=_quoted(gathered, name))
        for name in gathered.quoted.rows
        if name not in own
    ]
    return [*others, *(_point(runs, gathered) for runs in gathered.runs)]


def _point(runs: VariantRuns, gathered: Gathered) -> ScoredPoint:
    variant = runs.variant
    return ScoredPoint(
        name=variant.at or variant.name,
        ours={score: list(runs.scores(score).values()) for score in SCORES},
        quoted=_quoted(gathered, variant.quoted_name),
        series=variant.series,
    )


def _quoted(gathered: Gathered, name: str) -> dict[str, tuple[float, float | None]]:
    found = {score: gathered.quoted.value(name, score) for score in SCORES}
    return {score: (mean, std) for score, (mean, std) in found.items() if mean is not None}


def draw_maps(gathered: Gathered, folder: SweepFolder, subject: Subject) -> Figure | None:
    """The map of each variant, by the run that the validation pixels prefer; None without one."""
    maps = {}
    for runs in gathered.runs:
        kept = tuple(one for one in runs.records if folder.kept(one["id"]).is_file())
        if kept:
            best = _best_on_validation(kept)
            title = f"{runs.variant.name}, seed {best['seed']}"
            with np.load(folder.kept(best["id"]), allow_pickle=False) as stored:
                maps[f"twin: {title}" if gathered.twin else title] = stored["classes"]
    if not maps:
        return None
    return compared_maps_picture(
        subject.scene, require_labels(subject), maps, customary_bands=subject.rgb_bands
    )


def _best_on_validation(records: tuple[Record, ...]) -> Record:
    """The run that the validation pixels prefer; the test pixels have no say."""
    return max(records, key=lambda record: record["validation_oa"] or 0.0)


def _embedding(gathered: Gathered, folder: SweepFolder, subject: Subject) -> Figure | None:
    best = _best_on_validation(tuple(gathered.records))
    with np.load(folder.kept(best["id"]), allow_pickle=False) as stored:
        means = dict(stored)
    if len(means["classes"]) < FEWEST_POINTS:
        return None
    labels = require_labels(subject)
    figure = embedding_picture(
        means["before"],
        means["after"],
        means["classes"],
        class_names=labels.class_names,
        colours=labels.colours,
        seed=best["seed"],
    )
    if gathered.twin:
        figure.text(0.5, 0.985, "a twin, not the real scene", ha="center", va="top", fontsize=9)
    return figure
