"""The history of a run: one row of numbers per epoch, as CSV and optionally for TensorBoard."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from pdml.atomic import write_text
from pdml.optional import require

Row = dict[str, float]
"""epoch, learning_rate, the loss terms, validation scores where there are some, seconds."""


def write_history(path: Path, rows: Sequence[Row]) -> None:
    """Writes all rows; the file is replaced as a whole, so a resumed run leaves no row twice."""
    if not rows:
        return
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, text.getvalue())


def read_history(path: Path) -> list[Row]:
    """Reads the rows back; an absent file is an empty history."""
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def seconds_of(rows: Sequence[Row]) -> dict[str, float]:
    """Seconds spent in training steps and in validation, interruptions not counted."""
    columns = {"train": "seconds", "validate": "validation_seconds"}
    return {stage: sum(row[column] for row in rows) for stage, column in columns.items()}


def write_tensorboard(folder: Path, rows: Sequence[Row]) -> None:
    """Writes the history as TensorBoard events (extra `tensorboard`)."""
    require("tensorboard", extra="tensorboard")
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(folder)) as writer:
        for row in rows:
            for name, value in row.items():
                if name != "epoch":
                    writer.add_scalar(name, value, int(row["epoch"]))
