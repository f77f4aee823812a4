"""The tables of a report as plain rows of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pdml.evaluation.doubt_quality import BASELINE
from pdml.evaluation.metrics import Metrics
from pdml.evaluation.report_text import decimal, duration, grouped, percent

PARTS = ("train", "validation", "test")


@dataclass(frozen=True)
class ClassRow:
    """One class: pixels in each part, recall, and whether no other class is found less often."""

    name: str
    colour: str | None
    counts: tuple[str, ...]
    recall: str
    recall_share: float
    is_worst: bool


@dataclass(frozen=True)
class DoubtRow:
    """One measure of doubt, and whether it is the one that the others have to beat."""

    name: str
    auroc: str
    aurc: str
    share_of_ideal: str
    is_baseline: bool


@dataclass(frozen=True)
class StageRow:
    """One stage of the run with its time and its share of the slowest."""

    name: str
    time: str
    share: float


def run_rows(metrics: Metrics) -> dict[str, str]:
    """What was run, in the order in which a reader asks."""
    versions = metrics.get("versions", {})
    known = {
        "scene": metrics.get("scene"),
        "dataset": metrics.get("dataset"),
        "method": metrics.get("method"),
        "command": metrics.get("command"),
        "seed": metrics.get("seed"),
        "epochs": metrics.get("epochs"),
        "parameters": grouped(metrics.get("parameters")),
        "versions": ", ".join(f"{name} {version}" for name, version in versions.items()),
    }
    return {name: str(value) for name, value in known.items() if value not in (None, "")}


def setting_rows(settings: Mapping[str, object]) -> dict[str, str]:
    """A recipe, or how a split was made, as names and readable values."""
    return {name.replace("_", " "): _readable(value) for name, value in settings.items()}


def split_rows(metrics: Metrics) -> dict[str, str]:
    """How the split was made, without the counts, which have a table of their own."""
    split = metrics.get("split", {})
    return setting_rows(
        {name: value for name, value in split.items() if name not in ("counts", "polygons")}
    )


def class_rows(metrics: Metrics, colours: Sequence[str] = ()) -> list[ClassRow]:
    """One row per class; without scores, the counts of the split alone.

    Pixels, and of a split by polygons in brackets how many polygons they lie in.
    """
    per_class = metrics.get("per_class", {})
    split = metrics.get("split", {})
    counts: Mapping[str, Sequence[int]] = split.get("counts", {})
    polygons: Mapping[str, Sequence[int]] = split.get("polygons", {})
    n_classes = len(per_class) or max((len(part) for part in counts.values()), default=0)
    names = list(per_class) or [f"class {number}" for number in range(1, n_classes + 1)]
    recalls = [per_class[name]["recall"] if name in per_class else None for name in names]
    worst = min((recall for recall in recalls if recall is not None), default=None)
    rows = []
    for position, (name, recall) in enumerate(zip(names, recalls, strict=True)):
        cells = tuple(_cell(counts, polygons, part, position) for part in PARTS)
        rows.append(
            ClassRow(
                name=name,
                colour=colours[position] if len(colours) == n_classes else None,
                counts=cells,
                recall=percent(recall) if recall is not None else "no test pixels",
                recall_share=recall or 0.0,
                is_worst=recall is not None and recall == worst and worst < 1,
            )
        )
    return rows


def _cell(
    counts: Mapping[str, Sequence[int]],
    polygons: Mapping[str, Sequence[int]],
    part: str,
    position: int,
) -> str:
    if part not in counts:
        return "\N{EN DASH}"
    pixels = grouped(counts[part][position])
    return f"{pixels} ({polygons[part][position]})" if part in polygons else pixels


def part_totals(metrics: Metrics) -> list[str]:
    """Number of pixels in each part of the split, in the order of `PARTS`."""
    counts: Mapping[str, Sequence[int]] = metrics.get("split", {}).get("counts", {})
    return [grouped(sum(counts[part])) if part in counts else "\N{EN DASH}" for part in PARTS]


def headline(metrics: Metrics) -> dict[str, str]:
    """OA, AA and kappa, never one without the others, nor without what the split leaks.

    Empty when nothing was scored.
    """
    oa = metrics.get("oa")
    if oa is None:
        return {}
    found = {
        "overall accuracy (OA)": percent(oa),
        "average accuracy (AA, mean recall)": percent(metrics.get("aa")),
        "kappa": decimal(metrics.get("kappa")),
    }
    if leakage := metrics.get("leakage"):
        share = percent(leakage["own_patch_share"], digits=1)
        found["test pixels with a training pixel in their own patch"] = share
    return found


def doubt_rows(metrics: Metrics) -> list[DoubtRow]:
    """The measures of doubt, best first by how well they tell wrong from right."""
    scores = metrics.get("uncertainty", {}).get("scores", {})
    rows = [
        DoubtRow(
            name.replace("_", " "),
            decimal(score["auroc"], digits=3),
            decimal(score["aurc"]),
            percent(score["share_of_ideal"], digits=1),
            name == BASELINE,
        )
        for name, score in scores.items()
    ]
    return sorted(rows, key=lambda row: row.auroc, reverse=True)


def probability_rows(metrics: Metrics) -> dict[str, str]:
    """Scores of the probabilities, those that are there."""
    before = metrics.get("uncertainty", {}).get("uncalibrated")
    known = {
        "negative log likelihood": metrics.get("nll"),
        "Brier score (0 to 2)": metrics.get("brier"),
        "expected calibration error (15 bins)": metrics.get("ece"),
        "the same before the temperature": before["ece"] if before else None,
    }
    return {name: decimal(value) for name, value in known.items() if value is not None}


def stage_rows(metrics: Metrics) -> list[StageRow]:
    """The stages of the run, slowest first."""
    seconds = metrics.get("seconds", {})
    slowest = max(seconds.values(), default=0.0) or 1.0
    return [
        StageRow(name.replace("_", " "), duration(time), time / slowest)
        for name, time in sorted(seconds.items(), key=lambda stage: -stage[1])
    ]


def _readable(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ("", {}, [], ()):
        return "\N{EN DASH}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_readable(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_readable(one) for one in value)
    return str(value)
