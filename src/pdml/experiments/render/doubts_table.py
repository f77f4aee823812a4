"""What the runs of a sweep know of their own mistakes: calibration, and each measure of doubt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from pdml.evaluation.table.table import Cell, Table
from pdml.experiments.render.caption import how_in_words
from pdml.experiments.render.gathered import Gathered, VariantRuns, mean_and_std
from pdml.experiments.sweep.store import Record

BASELINE = "max_softmax"
SHOWN = ("surroundings", "doubt", "entropy", "neighbour_ratio", "mismatch", "variance")
"""Measures that stand beside the baseline, each less the baseline."""

_DASH = "\N{EN DASH}"


def doubts_table(gathered: Gathered) -> Table | None:
    """One row per variant whose runs say something of their doubts; None if none does."""
    told = [replace(runs, records=_telling(runs)) for runs in gathered.runs if _telling(runs)]
    if not told:
        return None
    shown = [name for name in SHOWN if any(name in one["doubts"]["auroc"] for one in _all(told))]
    headings = [
        "variant", "seeds", "OA alone", "OA", "rounds", "ECE (%)", "AUROC: max-softmax", *shown,
    ]  # fmt: skip
    return Table(
        title=f"{gathered.scene_title}: {gathered.experiment.title}, doubts",
        headings=tuple(Cell(text.replace("_", " ")) for text in headings),
        rows=tuple(_row(runs, shown) for runs in told),
        caption=(
            *how_in_words(gathered, "mean \N{PLUS-MINUS SIGN} standard deviation over seeds"),
            "OA alone is that of each pixel by its own patch, in per cent; OA that after it has "
            "listened to its surroundings for so many rounds, which the validation pixels chose. "
            "ECE is that of the calibrated probabilities. AUROC is the probability that a wrong "
            "pixel is more doubtful than a right one: of max-softmax alone as it is, of all others "
            "less that.",
        ),
    )


def _telling(runs: VariantRuns) -> tuple[Record, ...]:
    return tuple(record for record in runs.records if "doubts" in record)


def _all(told: list[VariantRuns]) -> list[Record]:
    return [record for runs in told for record in runs.records]


def _row(runs: VariantRuns, shown: list[str]) -> tuple[Cell, ...]:
    def over_seeds(of: Callable[[Record], float | None], *, digits: int = 2) -> Cell:
        values = [value for record in runs.records if (value := of(record)) is not None]
        return Cell(_DASH, *mean_and_std(values), digits=digits)

    gains = [over_seeds(partial(_gain, name=name), digits=3) for name in shown]
    return (
        Cell(runs.variant.name),
        Cell(str(len(runs.records))),
        over_seeds(_alone),
        over_seeds(lambda r: 100 * r["oa"]),
        over_seeds(lambda r: r["doubts"]["rounds"], digits=1),
        over_seeds(lambda r: 100 * r["ece"]),
        over_seeds(lambda r: r["doubts"]["auroc"][BASELINE], digits=3),
        *(replace(cell, signed=True) for cell in gains),
    )


def _alone(record: Record) -> float:
    """OA without surroundings; without any, it is the only one."""
    return 100 * float(record["doubts"].get("alone", record)["oa"])


def _gain(record: Record, *, name: str) -> float | None:
    found = record["doubts"]["auroc"]
    if found.get(name) is None or found[BASELINE] is None:
        return None
    return float(found[name] - found[BASELINE])
