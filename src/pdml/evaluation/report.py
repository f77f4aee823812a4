"""`report.html`: one self-contained page that says what was run, on what, and how well it went."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from pdml.atomic import write_text
from pdml.errors import MissingFileError, unknown_name
from pdml.evaluation import report_tables, report_text
from pdml.evaluation.confusion_picture import confusion_picture
from pdml.evaluation.curves import LOSS_TERMS, VALIDATION, curves_picture
from pdml.evaluation.doubt_plots import reliability_picture, response_picture, risk_picture
from pdml.evaluation.metrics import Metrics
from pdml.evaluation.picture import picture_bytes

CAPTIONS = {
    "overview": "The scene, what is known about it, what the model says, and how sure it is.",
    "false_colour": "The scene in three of its bands.",
    "ground_truth": "The labelled pixels.",
    "class_map": "The most probable class of every pixel.",
    "probability": "Probability of the shown class: low where the model would rather not say.",
    "entropy": "Entropy of the class probabilities: how undecided the model is between classes.",
    "variance": "Variance of each pixel's embedding: how uncertain its place among the others is.",
    "embedding": (
        "t-SNE of the same pixels embedded before and after training, each half on its own. "
        "Neighbourhoods mean something; axes and distances between far groups do not."
    ),
}
DOUBT_CAPTIONS = {
    "reliability": (
        "Of the test pixels that state a probability, how many are right. On the dashed line the "
        "map says what is so; below it, it says too much. Larger dots are more pixels."
    ),
    "risk": (
        "Mistakes among the test pixels that are kept when the most doubtful are put aside: the "
        "lower the line, the better the measure finds mistakes."
    ),
    "response": (
        "Test pixels whose spectra were made worse: how often they are more doubtful than as they "
        "are. 50 % is a measure that does not notice."
    ),
}
SHOWN_IN_OVERVIEW = {"false_colour", "ground_truth", "class_map", "entropy"}


@dataclass(frozen=True)
class ReportData:
    """What a report is made from; all of it lies in a run folder.

    Attributes:
        metrics: The content of `metrics.json`.
        recipe: The recipe as plain values.
        history: One row of numbers per epoch.
        pictures: PNG files by what they show, one of the keys of `CAPTIONS`.
        colours: Colours of the classes for the table.
    """

    metrics: Metrics
    recipe: Mapping[str, object] = field(default_factory=dict)
    history: Sequence[Mapping[str, float]] = ()
    pictures: Mapping[str, Path] = field(default_factory=dict)
    colours: Sequence[str] = ()


def write_report(path: Path, data: ReportData) -> None:
    """Writes the report; pictures and style are inside the file, and it needs no network.

    Args:
        path: Where to write, usually `report.html` in the run folder.
        data: What to tell. Whatever is missing is left out.

    Raises:
        UnknownNameError: If a picture shows something that a report has no place for.
        MissingFileError: If a picture is not there.
        StorageError: If the report cannot be written.
    """
    write_text(path, render_report(data))


def render_report(data: ReportData) -> str:
    """The report as text; see `write_report`."""
    metrics, recipe = data.metrics, data.recipe
    environment = Environment(
        loader=PackageLoader("pdml", "evaluation"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    leakage = metrics.get("leakage")
    return environment.get_template("report.html.j2").render(
        title=report_text.title(metrics),
        warnings=report_text.warnings(metrics, recipe),
        leakage=report_text.leakage_sentence(leakage) if leakage else None,
        epoch=report_text.epoch_sentence(metrics, recipe),
        oracle=report_text.oracle_sentence(metrics),
        context=report_text.score_context(metrics),
        headline=report_tables.headline(metrics),
        run=report_tables.run_rows(metrics),
        recipe=report_tables.setting_rows(recipe),
        split=report_tables.split_rows(metrics),
        polygons="polygons" in metrics.get("split", {}),
        totals=report_tables.part_totals(metrics),
        classes=report_tables.class_rows(metrics, data.colours),
        probability=report_tables.probability_rows(metrics),
        doubt=report_tables.doubt_rows(metrics),
        doubt_notes=report_text.doubt_sentences(metrics),
        doubt_pictures=_doubt_pictures(metrics),
        stages=report_tables.stage_rows(metrics),
        confusion=_confusion(metrics),
        curves=_curves(data),
        pictures=_pictures(data.pictures),
        captions=CAPTIONS,
        doubt_captions=DOUBT_CAPTIONS,
    )


def _confusion(metrics: Metrics) -> str | None:
    counts, names = metrics.get("confusion"), metrics.get("per_class")
    if not counts or not names:
        return None
    return _embedded(picture_bytes(confusion_picture(np.array(counts), list(names))))


def _doubt_pictures(metrics: Metrics) -> dict[str, str]:
    record = metrics.get("uncertainty")
    if not record:
        return {}
    pictures = {
        "reliability": reliability_picture(record),
        "risk": risk_picture(record),
        "response": response_picture(record["response"]),
    }
    return {shows: _embedded(picture_bytes(picture)) for shows, picture in pictures.items()}


def _curves(data: ReportData) -> str | None:
    shown = {*LOSS_TERMS, VALIDATION}
    if not any(shown & row.keys() for row in data.history):
        return None
    figure = curves_picture(data.history, best_epoch=data.metrics.get("best_epoch"))
    return _embedded(picture_bytes(figure))


def _pictures(paths: Mapping[str, Path]) -> dict[str, str]:
    """The pictures in the order of the captions, without those that the overview shows too."""
    for shows, path in paths.items():
        if shows not in CAPTIONS:
            raise unknown_name("picture", shows, CAPTIONS)
        if not path.is_file():
            raise MissingFileError(
                f"the picture '{shows}' must be a file, got {path}, which is not there; "
                "draw it first or leave it out"
            )
    twice = SHOWN_IN_OVERVIEW if "overview" in paths else set()
    return {
        shows: _embedded(paths[shows].read_bytes())
        for shows in CAPTIONS
        if shows in paths and shows not in twice
    }


def _embedded(png: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")
