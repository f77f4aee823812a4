"""Progress as lines of text, for files and pipes: no control codes, and never silent for long."""

from __future__ import annotations

import threading
from time import monotonic
from types import TracebackType

from pdml.cli.console import say
from pdml.cli.epoch_text import Pace, epoch_in_words
from pdml.cli.map_pace import MapPace
from pdml.evaluation.report_text import duration
from pdml.experiments.listener import Listener
from pdml.training.history import Row

SECONDS_BETWEEN_LINES = 15.0
SILENCE_SECONDS = 30.0
SHARES = 10


class PlainProgress(Listener):
    """Says a line about every tenth of the epochs, or every 15 seconds.

    Args:
        n_before: Epochs that were done before the run was resumed; they are not told again.
        silence_seconds: After this long without a line, one says that the work goes on.
    """

    def __init__(self, *, n_before: int = 0, silence_seconds: float = SILENCE_SECONDS) -> None:
        self._n_before = n_before
        self._silence_seconds = silence_seconds
        self._stage = "start"
        self._stage_began = self._said_at = monotonic()
        self._pace = Pace()
        self._map_pace = MapPace()
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._break_silence, daemon=True)

    def __enter__(self) -> PlainProgress:
        self._watch.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._watch.join()

    def stage(self, name: str) -> None:
        """A line at the beginning of each stage."""
        self._stage, self._stage_began = name, monotonic()
        self._say(f"{name} ...")

    def epoch(self, row: Row, n_epochs: int) -> None:
        """A line where one is due."""
        number = int(row["epoch"])
        self._pace.add(row)
        if number < self._n_before:
            return
        tenth_is_full = number * SHARES // n_epochs > (number - 1) * SHARES // n_epochs
        if number in (1, self._n_before) or tenth_is_full or self._is_due():
            left = self._pace.left(n_epochs - number)
            self._say(f"epoch {number} of {n_epochs}: {epoch_in_words(row)}, {left}")

    def mapped(self, n_done: int, n_pixels: int) -> None:
        """A line where one is due, and one at the end."""
        self._map_pace.add(n_done, n_pixels)
        if n_done == n_pixels or self._is_due():
            in_all = self._map_pace.in_all()
            self._say(self._map_pace.in_words() + (f"; {in_all}" if in_all else ""))

    def scene(self, name: str, number: int, n_scenes: int, n_pixels_after: int) -> None:
        """A line for each of several scenes."""
        self._map_pace.scene(name, number, n_scenes, n_pixels_after)
        self._say(self._map_pace.in_all())

    def note(self, text: str) -> None:
        """A line."""
        self._say(text)

    def _is_due(self) -> bool:
        return monotonic() - self._said_at > SECONDS_BETWEEN_LINES

    def _say(self, text: str) -> None:
        self._said_at = monotonic()
        say(text)

    def _break_silence(self) -> None:
        while not self._over.wait(self._silence_seconds / 4):
            if monotonic() - self._said_at > self._silence_seconds:
                self._say(f"{self._stage}: still at it, {self._time_in_stage()}")

    def _time_in_stage(self) -> str:
        return f"{duration(monotonic() - self._stage_began)} so far"
