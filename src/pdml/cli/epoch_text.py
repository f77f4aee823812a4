"""An epoch in words: how far, the loss and its terms, validation accuracy, time left."""

from __future__ import annotations

from collections import deque

from pdml.evaluation.report_text import duration
from pdml.training.history import Row

TERMS = ("pairs", "variance", "classes")
EPOCHS_OF_PACE = 5


def loss_in_words(row: Row) -> str:
    """The loss with its terms, and the validation accuracy where there is one."""
    terms = ", ".join(f"{name} {row[name]:.4g}" for name in TERMS if row.get(name))
    text = f"loss {row['total']:.4g}" + (f" ({terms})" if terms else "")
    if "validation_oa" in row:
        text += f", validation OA {100 * row['validation_oa']:.2f} %"
    return text


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
