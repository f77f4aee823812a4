"""An epoch in words: validation accuracy, the loss and its terms, time left."""

from __future__ import annotations

from collections import deque

from pdml.evaluation.report_text import duration
from pdml.training.history import Row

TERMS = ("pairs", "variance", "classes")
EPOCHS_OF_PACE = 5
LARGE = 100.0  # from here on decimals only take room


def epoch_in_words(row: Row) -> str:
    """Validation accuracy where there is one, then the loss with its terms; one line of 80."""
    terms = ", ".join(f"{name} {_short(row[name])}" for name in TERMS if row.get(name))
    loss = f"loss {_short(row['total'])}" + (f": {terms}" if terms else "")
    if "validation_oa" not in row:
        return loss
    return f"validation OA {100 * row['validation_oa']:.2f} %, {loss}"


def _short(value: float) -> str:
    return f"{value:.3f}" if abs(value) < LARGE else f"{value:.3g}"


class Pace:
    """How long the epochs took lately, and so how long the rest will take."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=EPOCHS_OF_PACE)

    def add(self, row: Row) -> None:
        """Takes note of an epoch."""
        self._seconds.append(row["seconds"] + row.get("validation_seconds", 0.0))

    def left(self, n_epochs: int) -> str:
        """The time that some more epochs take, in words."""
        if n_epochs == 0:
            return "done"
        mean = sum(self._seconds) / len(self._seconds)
        return f"{duration(n_epochs * mean)} left"
