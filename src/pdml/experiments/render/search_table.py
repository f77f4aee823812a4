"""What single changes to a recipe do, by validation pixels."""

from __future__ import annotations

from pdml.evaluation.table.table import Cell, NoteBook, Table
from pdml.experiments.render.caption import caption
from pdml.experiments.render.gathered import SCORES, Gathered, VariantRuns, mean_and_std
from pdml.experiments.render.score_table import diverged_note, score_cell
from pdml.experiments.search import BASE, search_note

_DASH = "\N{EN DASH}"
_DELTA = "\N{GREEK CAPITAL LETTER DELTA}"
_SHOWN = {"oa": (100.0, "OA", 2), "aa": (100.0, "AA", 2), "nll": (1.0, "NLL", 4)}
"""Scores with what they are multiplied by, what they are called, and their decimals."""

_NUMBERS = (
    "OA and AA in per cent, mean \N{PLUS-MINUS SIGN} standard deviation over seeds, AA is the mean "
    "recall, NLL the mean negative log-likelihood; all of the weights that were kept, on the "
    f"validation pixels, which also chose the epoch. {_DELTA} is the difference to the base over "
    "the seeds that both have"
)


def search_table(gathered: Gathered) -> Table:
    """The base, then one row per change that has a run; with test scores if they were asked for."""
    notes = NoteBook()
    final = any("oa" in record for record in gathered.records)
    headings = ["change", "seeds"]
    for _, label, _ in _SHOWN.values():
        headings += [f"validation {label}", f"{_DELTA} {label}"]
    headings.append("training (s)")
    headings += [f"test {label}" for label in SCORES.values()] if final else []
    base = gathered.of(BASE)
    shown = [runs for runs in gathered.runs if runs is base or runs.records or runs.diverged]
    return Table(
        title=f"{gathered.scene_title}: {gathered.experiment.title}",
        headings=tuple(Cell(text) for text in headings),
        rows=tuple(_row(runs, base, notes, final=final) for runs in shown),
        caption=(
            search_note(final=final),
            *caption(gathered, with_quoted=False, numbers=_NUMBERS),
        ),
        notes=notes.texts,
        rules=(0,),
    )


def _row(runs: VariantRuns, base: VariantRuns, notes: NoteBook, *, final: bool) -> tuple[Cell, ...]:
    name = Cell(runs.variant.name, notes=diverged_note(runs, notes))
    row = [name, Cell(str(len(runs.records)))]
    for score, (factor, _, digits) in _SHOWN.items():
        own, other = _validation(runs, score, factor), _validation(base, score, factor)
        pairs = [own[seed] - other[seed] for seed in own.keys() & other.keys()]
        row.append(Cell(_DASH, *mean_and_std(list(own.values())), digits=digits))
        difference = Cell(_DASH, *mean_and_std(pairs), digits=digits, signed=True)
        row.append(Cell(_DASH) if runs is base else difference)
    seconds = mean_and_std([record["seconds"]["train"] for record in runs.records])
    row.append(Cell(_DASH, *seconds, digits=0))
    row += [score_cell(runs.scores(score)) for score in SCORES] if final else []
    return tuple(row)


def _validation(runs: VariantRuns, score: str, factor: float) -> dict[int, float]:
    return {
        record["seed"]: factor * record["validation"][score]
        for record in runs.records
        if record["validation"][score] is not None
    }
