"""Methods by splits: one table per score, and one of the splits themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pdml.evaluation.table.table import Cell, NoteBook, Table
from pdml.experiments.render.caption import SCORES_IN_WORDS, how_in_words, split_in_words
from pdml.experiments.render.gathered import (
    LEAKAGE,
    SCORES,
    Gathered,
    VariantRuns,
    mean_and_std,
)
from pdml.experiments.render.score_table import diverged_note, score_cell

_DASH = Cell("\N{EN DASH}")


def splits_tables(gathered: Gathered) -> dict[str, Table]:
    """A table per score, the first under the empty name, and the splits."""
    tables = {score: _of_score(gathered, score) for score in SCORES}
    return {"": tables["oa"], "-aa": tables["aa"], "-kappa": tables["kappa"],
            "-splits": _of_splits(gathered)}  # fmt: skip


def _of_score(gathered: Gathered, score: str) -> Table:
    """One row per method, one column per split, and what each split leaks below."""
    notes = NoteBook()
    columns = _columns(gathered)
    methods = dict.fromkeys(runs.variant.series for runs in gathered.runs)
    cells = [
        [_cell(column, method, score, notes) for column in columns.values()] for method in methods
    ]
    rows = [(Cell(method), *row) for method, row in zip(methods, _best(cells), strict=True)]
    last = Cell(LEAKAGE), *(_leakage(column) for column in columns.values())
    return Table(
        title=f"{gathered.scene_title}: {gathered.experiment.title}, {SCORES[score]}",
        headings=tuple(Cell(text) for text in ["", *columns]),
        rows=(*rows, last),
        caption=(
            *how_in_words(gathered, SCORES_IN_WORDS),
            "Leakage is the share of test pixels with a training pixel inside the patch of the "
            "networks.",
            *_not_run(gathered, columns),
        ),
        notes=notes.texts,
        rules=(len(rows) - 1,),
    )


def _of_splits(gathered: Gathered) -> Table:
    """Pixels of each part, and what leaks."""
    headings = ["split", "how", "train", "validate", "test", f"{LEAKAGE}: own patch", "overlap"]
    return Table(
        title=f"{gathered.scene_title}: the splits",
        headings=tuple(Cell(text) for text in headings),
        rows=tuple(_split_row(name, runs) for name, runs in _columns(gathered).items()),
        caption=(
            *how_in_words(gathered, "pixels and per cent, mean over seeds"),
            "Own patch: test pixels with a training pixel inside their own patch. Overlap: their "
            "patch shares a pixel with a training patch.",
        ),
    )


def _columns(gathered: Gathered) -> dict[str, list[VariantRuns]]:
    """The variants of each split that has a run."""
    found: dict[str, list[VariantRuns]] = {}
    for runs in gathered.runs:
        found.setdefault(runs.variant.at, []).append(runs)
    return {at: of for at, of in found.items() if any(one.records or one.diverged for one in of)}


def _cell(column: Sequence[VariantRuns], method: str, score: str, notes: NoteBook) -> Cell:
    runs = next((one for one in column if one.variant.series == method), None)
    if runs is None:
        return _DASH
    return replace(score_cell(runs.scores(score)), notes=diverged_note(runs, notes))


def _best(rows: list[list[Cell]]) -> list[list[Cell]]:
    """The highest of each column in bold, if there is more than one."""
    columns = []
    for column in zip(*rows, strict=True):
        means = [cell.mean for cell in column if cell.mean is not None]
        highest = max(means) if len(means) > 1 else None
        columns.append([replace(cell, best=cell.mean is not None and cell.mean == highest)
                        for cell in column])  # fmt: skip
    return [list(row) for row in zip(*columns, strict=True)]


def _leakage(column: Sequence[VariantRuns]) -> Cell:
    """That of the largest patch; a method of single pixels has the same training pixels."""
    return Cell("\N{EN DASH}", *mean_and_std(_shares(column, "own_patch_share")), digits=1)


def _shares(column: Sequence[VariantRuns], key: str) -> list[float]:
    records = [record["leakage"] for runs in column for record in runs.records]
    size = max((one["patch_size"] for one in records), default=0)
    return [100 * one[key] for one in records if one["patch_size"] == size]


def _split_row(name: str, column: Sequence[VariantRuns]) -> tuple[Cell, ...]:
    records = [record for runs in column for record in runs.records]
    how = split_in_words(records[0]["split"]) if records else ""
    pixels = [
        Cell(
            "\N{EN DASH}", mean_and_std([sum(one["counts"][part]) for one in records])[0], digits=0
        )
        for part in ("train", "validation", "test")
    ]
    overlap = Cell("\N{EN DASH}", *mean_and_std(_shares(column, "overlap_share")), digits=1)
    return Cell(name), Cell(how), *pixels, _leakage(column), overlap


def _not_run(gathered: Gathered, columns: dict[str, list[VariantRuns]]) -> list[str]:
    missing = dict.fromkeys(
        runs.variant.at for runs in gathered.runs if runs.variant.at not in columns
    )
    return [f"Not run: {', '.join(missing)}."] if missing else []
