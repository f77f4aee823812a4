"""How well each detector finds a class that was left out: the means, then class by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pdml.evaluation.table.table import Cell, Table
from pdml.experiments.render.caption import caption
from pdml.experiments.render.gathered import Gathered, VariantRuns, mean_and_std
from pdml.experiments.sweep.store import Record

BASELINE = "max_softmax"
CHOSEN = "unknown"
_DASH = "\N{EN DASH}"

# In the order of the rows; what a model lacks is left out, what is new comes first.
DETECTORS = {
    "max_softmax": "max-softmax",
    "entropy": "entropy",
    "energy": "energy",
    "mahalanobis": "Mahalanobis, embedding",
    "relative_mahalanobis": "relative Mahalanobis, embedding",
    "neighbour_distance": "5th nearest neighbour, embedding",
    "distance": "nearest class mean, embedding",
    "distance_ratio": "ratio of class distances, embedding",
    "neighbour_ratio": "ratio of neighbour distances, embedding",
    "mismatch": "expected match probability",
    "variance": "variance of the embedding",
    "doubt": "combined doubt",
    "spectrum": "Mahalanobis, spectrum of the patch",
    "features": "Mahalanobis, first features of the patch",
    "unknown": "energy + first features",
}


def unknown_table(gathered: Gathered) -> Table:
    """One row per variant and detector; scores are means over classes, spreads are over seeds."""
    rows, rules = [], []
    for runs in gathered.runs:
        rows += _best_in_bold([_row(runs, name) for name in _detectors(runs)])
        rules.append(len(rows) - 1)
    headings = ("variant", "detector", "AUROC", "less max-softmax", "FPR at 95 %")
    return Table(
        title=f"{gathered.scene_title}: {gathered.experiment.title}",
        headings=tuple(Cell(text) for text in headings),
        rows=tuple(rows),
        caption=_caption(gathered, "mean over the classes left out \N{PLUS-MINUS SIGN} standard "
                         "deviation over seeds"),
        rules=tuple(rules[:-1]),
    )  # fmt: skip


def unknown_by_class(gathered: Gathered) -> Table:
    """AUROC of the baseline and of the default for every class that was left out."""
    shown = (BASELINE, "features", CHOSEN)
    headings = ["class left out"]
    headings += [f"{r.variant.name}: {DETECTORS[name]}" for r in gathered.runs for name in shown]
    classes = list(dict.fromkeys(record["left_out"] for record in gathered.records))
    rows = []
    for name in classes:
        cells = [
            _number([r["detectors"][one]["auroc"] for r in runs.records if r["left_out"] == name])
            for runs in gathered.runs
            for one in shown
        ]
        rows.append((Cell(name), *cells))
    return Table(
        title=f"{gathered.scene_title}: AUROC by the class that was left out",
        headings=tuple(Cell(text) for text in headings),
        rows=tuple(rows),
        caption=_caption(gathered, "mean \N{PLUS-MINUS SIGN} standard deviation over seeds"),
    )


def aurocs(runs: VariantRuns, name: str) -> dict[str, float]:
    """Mean AUROC of a detector over seeds, by the class that was left out."""
    found: dict[str, list[float]] = {}
    for record in runs.records:
        if name in record["detectors"]:
            found.setdefault(record["left_out"], []).append(record["detectors"][name]["auroc"])
    return {left_out: float(np.mean(values)) for left_out, values in found.items()}


def _detectors(runs: VariantRuns) -> list[str]:
    known = {name for record in runs.records for name in record["detectors"]}
    return [*sorted(known - DETECTORS.keys()), *[name for name in DETECTORS if name in known]]


def _row(runs: VariantRuns, name: str) -> tuple[Cell, ...]:
    auroc = _by_seed(runs.records, name, "auroc")
    baseline = _by_seed(runs.records, BASELINE, "auroc")
    gain = Cell(_DASH)
    if name != BASELINE:
        difference = float(np.mean([auroc[seed] - baseline[seed] for seed in auroc]))
        gain = Cell(f"{difference:+.3f}".replace("-", "\N{MINUS SIGN}"))
    return (
        Cell(runs.variant.name),
        Cell(DETECTORS.get(name, name.replace("_", " "))),
        _number(list(auroc.values())),
        gain,
        _number(list(_by_seed(runs.records, name, "fpr95").values())),
    )


def _by_seed(records: Sequence[Record], name: str, score: str) -> dict[int, float]:
    """Means over the classes that were left out."""
    found: dict[int, list[float]] = {}
    for record in records:
        found.setdefault(record["seed"], []).append(record["detectors"][name][score])
    return {seed: float(np.mean(values)) for seed, values in found.items()}


def _number(values: Sequence[float]) -> Cell:
    return Cell(_DASH, *mean_and_std(values), digits=3)


def _best_in_bold(rows: Sequence[tuple[Cell, ...]]) -> list[tuple[Cell, ...]]:
    """Marks the highest AUROC and the lowest rate of false alarms of a variant."""
    if not rows:
        return []
    highest = max(row[2].mean or 0.0 for row in rows)
    lowest = min(row[4].mean or 0.0 for row in rows)
    return [
        (
            *row[:2],
            replace(row[2], best=row[2].mean == highest),
            row[3],
            replace(row[4], best=row[4].mean == lowest),
        )
        for row in rows
    ]


def _caption(gathered: Gathered, numbers: str) -> tuple[str, ...]:
    if not gathered.records:
        return caption(gathered, with_quoted=False, numbers=numbers)
    n_classes = len({record["left_out"] for record in gathered.records})
    return (
        *caption(gathered, with_quoted=False, numbers=numbers),
        f"Classes left out, one at a time: {n_classes}. All pixels of the class are to be found "
        "among the test pixels of the others. FPR: share of known pixels above the threshold that "
        "finds 95 % of the unknown. What is fitted is fitted on training and validation pixels of "
        "the other classes; the pixels counted above are those without "
        f"'{gathered.records[0]['left_out']}'. Energy + first features is what `pdml map --reject` "
        "uses.",
    )
