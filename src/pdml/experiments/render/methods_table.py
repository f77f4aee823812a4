"""Methods side by side with all classes, as in the paper's tables of results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pdml.evaluation.table.table import Cell, NoteBook, Table
from pdml.experiments.render.caption import caption
from pdml.experiments.render.gathered import LEAKAGE, SCORES, Gathered, VariantRuns
from pdml.experiments.render.score_table import (
    BEST_ON_TEST,
    DIFFERENCE,
    difference_cell,
    diverged_note,
    general_notes,
    leakage_cell,
    score_cell,
    texts,
)


def methods_table(gathered: Gathered) -> Table:
    """The paper's methods, quoted, then ours; one row per score and per class."""
    notes = NoteBook()
    quoted = list(gathered.quoted.rows)
    names = _class_names(gathered)
    headings = [Cell("")]
    headings += [
        Cell(f"{name} (quoted)", notes=notes.add(*texts(gathered.quoted.notes_on(name))))
        for name in quoted
    ]
    headings += [
        Cell(f"{r.variant.name} (ours)", notes=diverged_note(r, notes)) for r in gathered.runs
    ]
    rows = [
        [
            Cell(label),
            *(_quoted_cell(gathered, name, score, notes) for name in quoted),
            *(score_cell(runs.scores(score)) for runs in gathered.runs),
        ]
        for score, label in SCORES.items()
    ]
    rows += [
        [
            Cell(f"{number} {name}" if name else str(number)),
            *(_quoted_recall(gathered, method, number, notes) for method in quoted),
            *(score_cell(_recalls(runs, name)) for runs in gathered.runs),
        ]
        for number, name in enumerate(names, start=1)
    ]
    bold = [_best_in_bold(row) for row in rows]
    extra = _comparison(gathered, len(quoted))
    return Table(
        title=f"{gathered.scene_title}: {gathered.experiment.title}",
        headings=tuple(headings),
        rows=(*bold[: len(SCORES)], *extra, *bold[len(SCORES) :]),
        caption=(*caption(gathered, with_quoted=bool(quoted)), *general_notes(gathered)),
        notes=notes.texts,
        rules=(len(SCORES) - 1, len(SCORES) + len(extra) - 1),
    )


def _comparison(gathered: Gathered, n_quoted: int) -> list[tuple[Cell, ...]]:
    """Rows of our columns alone: leakage, the paper's reading, and the distance from the paper."""
    empty = [Cell("")] * n_quoted
    rows = [(Cell(LEAKAGE), *empty, *(leakage_cell(runs) for runs in gathered.runs))]
    on_test = [score_cell(runs.best_on_test()) for runs in gathered.runs]
    watched = any(cell.mean is not None for cell in on_test)
    values = [gathered.quoted.value(runs.variant.quoted_name, "oa") for runs in gathered.runs]
    if n_quoted:
        ours = [score_cell(runs.scores("oa")) for runs in gathered.runs]
        pairs = zip(ours, values, strict=True)
        rows.append((Cell(DIFFERENCE), *empty, *(difference_cell(*pair) for pair in pairs)))
    if watched:
        rows.append((Cell(BEST_ON_TEST), *empty, *on_test))
    if watched and n_quoted:
        pairs = zip(on_test, values, strict=True)
        cells = (difference_cell(*pair) for pair in pairs)
        rows.append((Cell(f"best on test: {DIFFERENCE}"), *empty, *cells))
    return rows


def _class_names(gathered: Gathered) -> Sequence[str]:
    """Names from our runs; numbers alone as long as there is none."""
    if gathered.records:
        return list(gathered.records[0]["per_class"])
    recalls = [len(row["recall"]) for row in gathered.quoted.rows.values()]
    return [""] * max(recalls, default=0)


def _recalls(runs: VariantRuns, name: str) -> dict[int, float]:
    return {
        record["seed"]: 100 * record["per_class"][name]["recall"]
        for record in runs.records
        if record["per_class"][name]["recall"] is not None
    }


def _quoted_cell(gathered: Gathered, name: str, score: str, notes: NoteBook) -> Cell:
    mean, std = gathered.quoted.value(name, score)
    return Cell("", mean, std, notes=notes.add(*texts(gathered.quoted.notes_on(name, score))))


def _quoted_recall(gathered: Gathered, name: str, number: int, notes: NoteBook) -> Cell:
    recall = gathered.quoted.rows[name]["recall"][number - 1]
    remarks = gathered.quoted.notes_on(name, "recall", number)
    return Cell("", recall, notes=notes.add(*texts(remarks)))


def _best_in_bold(row: list[Cell]) -> tuple[Cell, ...]:
    means = [round(cell.mean, cell.digits) for cell in row if cell.mean is not None]
    if len(means) < 2:
        return tuple(row)
    return tuple(
        replace(cell, best=cell.mean is not None and round(cell.mean, cell.digits) == max(means))
        for cell in row
    )
