"""Who is told how a run gets on; the command line shows it, a test or a script need not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from pdml.training.history import Row


class Listener:
    """Hears of stages, epochs and mapped pixels; this one says nothing."""

    def stage(self, name: str) -> None:
        """A stage begins."""

    def epoch(self, row: Row, n_epochs: int) -> None:
        """An epoch is done; after a resume, also each of those that were done before."""

    def scene(self, name: str, number: int, n_scenes: int, n_pixels_after: int) -> None:
        """The mapping of one of several scenes begins; those after it have so many pixels."""

    def mapped(self, n_done: int, n_pixels: int) -> None:
        """Some more pixels are mapped; first called with those that were before an interruption."""

    def note(self, text: str) -> None:
        """A sentence for the user."""


class Stopwatch:
    """Seconds spent in each stage of a run."""

    def __init__(self, listener: Listener) -> None:
        self.seconds: dict[str, float] = {}
        self._listener = listener

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Announces a stage and times it."""
        self._listener.stage(name)
        start = perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - start
