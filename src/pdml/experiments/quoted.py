"""The paper's numbers, from the files beside the declarations; quoted, never measured here."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).with_name("paper") / "quoted"


@dataclass(frozen=True)
class Note:
    """A remark on quoted numbers: a slip of the paper, or what they really are.

    Attributes:
        text: The remark.
        row: The method or variant that it is about; all of them when empty.
        score: The score that it is about (`oa`, `aa`, `kappa`, `recall`); all when empty.
        class_number: The class, counted from 1, if it is about the recall of one.
    """

    text: str
    row: str = ""
    score: str = ""
    class_number: int = 0


@dataclass(frozen=True)
class Quoted:
    """What the paper says about one scene.

    Attributes:
        label: Its label of the table or figure.
        rows: Numbers of each method or variant by the name of the score: the mean, and the
            standard deviation where there is one; `recall` has one number per class.
        notes: Remarks.
    """

    label: str = ""
    rows: Mapping[str, Mapping[str, tuple[float, ...]]] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    def value(self, row: str, score: str) -> tuple[float | None, float | None]:
        """Mean and standard deviation; None where the paper has none."""
        found = self.rows.get(row, {}).get(score, ())
        return (found[0] if found else None), (found[1] if len(found) > 1 else None)

    def notes_on(self, row: str, score: str = "", class_number: int = 0) -> tuple[Note, ...]:
        """Remarks on one number; those on the whole row have an empty score."""
        wanted = (row, score, class_number)
        return tuple(n for n in self.notes if (n.row, n.score, n.class_number) == wanted)


def quoted_numbers(experiment: str, dataset: str) -> Quoted:
    """The paper's numbers for an experiment on a scene; empty where it gives none."""
    path = _FOLDER / f"{experiment}.toml"
    if not path.is_file():
        return Quoted()
    stored: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    if dataset not in stored:
        return Quoted()
    found = stored[dataset]
    return Quoted(
        label=found["label"],
        rows={
            name: {score: tuple(values) for score, values in scores.items()}
            for name, scores in found["rows"].items()
        },
        notes=tuple(
            Note(one["text"], one.get("row", ""), one.get("score", ""), one.get("class", 0))
            for one in found.get("notes", ())
        ),
    )
