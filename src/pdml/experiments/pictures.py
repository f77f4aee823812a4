"""All pictures and the report of a run, drawn from what lies in its folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.figure import Figure

from pdml.evaluation import maps
from pdml.evaluation.embedding_plot import FEWEST_POINTS, embedding_picture
from pdml.evaluation.picture import save_picture
from pdml.evaluation.report import ReportData, write_report
from pdml.experiments.run_folder import RunFolder
from pdml.experiments.subject import Subject
from pdml.inference.class_map import ClassMap
from pdml.training.history import read_history


def draw_pictures(
    folder: RunFolder, subject: Subject, class_map: ClassMap, *, seed: int = 0
) -> None:
    """Draws every picture that the run has material for."""
    scene, labels, bands = subject.scene, subject.labels, subject.rgb_bands
    drawings: dict[str, Callable[[], Figure]] = {
        "overview": lambda: maps.overview_picture(
            scene, class_map, labels=labels, customary_bands=bands
        ),
        "false_colour": lambda: maps.false_colour_picture(scene, customary_bands=bands),
        "class_map": lambda: maps.class_map_picture(class_map),
    }
    if class_map.has_probability:
        drawings["probability"] = lambda: maps.probability_picture(class_map)
        drawings["entropy"] = lambda: maps.entropy_picture(class_map)
    if labels is not None:
        drawings["ground_truth"] = lambda: maps.ground_truth_picture(labels)
    if class_map.embedding_variance is not None:
        drawings["variance"] = lambda: maps.variance_picture(class_map)
    if folder.embedding.is_file():
        with np.load(folder.embedding, allow_pickle=False) as stored:
            means = dict(stored)
        if len(means["classes"]) >= FEWEST_POINTS:
            drawings["embedding"] = lambda: embedding_picture(
                means["before"],
                means["after"],
                means["classes"],
                class_names=class_map.class_names,
                colours=class_map.colours,
                seed=seed,
            )
    for name, draw in drawings.items():
        save_picture(draw(), folder.picture(name))


def rebuild_report(folder: RunFolder, *, colours: Sequence[str] = ()) -> None:
    """Writes `report.html` from the files of a run."""
    write_report(
        folder.report,
        ReportData(
            metrics=folder.read_metrics(),
            recipe=folder.read_recipe().that_count(),
            history=read_history(folder.history),
            pictures=folder.pictures(),
            colours=colours,
        ),
    )
