"""Seconds per epoch and per test, and what PDML costs beyond the plain network."""

from __future__ import annotations

from pdml.evaluation.table.table import Cell, Table
from pdml.experiments.render.caption import caption
from pdml.experiments.render.gathered import Gathered, VariantRuns, mean_and_std
from pdml.experiments.render.score_table import general_notes

# What is measured in a run, what the paper's file calls it, and what the table calls it.
_STAGES = {
    "epoch": ("train_seconds", "training, one epoch"),
    "test": ("test_seconds", "testing, all test pixels"),
}


def time_table(gathered: Gathered) -> Table:
    """Seconds of each variant, then their ratio."""
    with_quoted = bool(gathered.quoted.rows)
    plain, ours = gathered.runs
    rows = []
    for stage, (quoted_name, words) in _STAGES.items():
        cells = [_seconds(runs, stage) for runs in (plain, ours)]
        quoted = [
            gathered.quoted.value(runs.variant.name, quoted_name)[0] for runs in (plain, ours)
        ]
        for runs, cell, value in zip((plain, ours), cells, quoted, strict=True):
            rows.append(_row(f"{runs.variant.name}, {words} (s)", cell, value, with_quoted))
        name = f"{ours.variant.name} / {plain.variant.name}, {words}"
        rows.append(_row(name, _ratio(*cells), _divided(*quoted), with_quoted))
    headings = ["", "ours", *(["paper (quoted)"] if with_quoted else [])]
    return Table(
        title=f"{gathered.scene_title}: {gathered.experiment.title}",
        headings=tuple(Cell(text) for text in headings),
        rows=tuple(rows),
        caption=(
            *caption(
                gathered,
                with_quoted=False,
                numbers="seconds, mean \N{PLUS-MINUS SIGN} standard deviation over seeds",
            ),
            *_machine(gathered),
            "An epoch is the median over the epochs of a run. Seconds are of this machine; only "
            "ratios can be compared.",
            *general_notes(gathered),
        ),
        rules=(2,),
    )


def _row(name: str, ours: Cell, quoted: float | None, with_quoted: bool) -> tuple[Cell, ...]:
    cells = (Cell(name), ours)
    return (*cells, Cell("\N{EN DASH}", quoted)) if with_quoted else cells


def _seconds(runs: VariantRuns, stage: str) -> Cell:
    return Cell("\N{EN DASH}", *mean_and_std([record["seconds"][stage] for record in runs.records]))


def _ratio(plain: Cell, ours: Cell) -> Cell:
    return Cell("\N{EN DASH}", _divided(plain.mean, ours.mean))


def _divided(plain: float | None, ours: float | None) -> float | None:
    return ours / plain if plain and ours is not None else None


def _machine(gathered: Gathered) -> list[str]:
    threads = sorted({record["threads"] for record in gathered.records})
    return [f"Threads: {', '.join(map(str, threads))}."] if threads else []
