"""Progress on a terminal: one bar that moves, the loss below it, a line for each finished stage."""

from __future__ import annotations

from time import monotonic
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from pdml.cli.console import plain
from pdml.cli.epoch_text import Pace, epoch_in_words
from pdml.cli.map_pace import MapPace
from pdml.evaluation.report_text import duration
from pdml.experiments.listener import Listener
from pdml.training.history import Row

WORTH_A_LINE_SECONDS = 1.0
INDENT = 2


class LiveProgress(Listener):
    """Shows the stage, how far it is, and what is known of it.

    Args:
        console: A terminal.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._spinner = Spinner("line")
        self._pace = Pace()
        self._map_pace = MapPace()
        self._share: float | None = None
        self._begin("start")
        self._live = Live(
            get_renderable=self.render, console=console, transient=True, refresh_per_second=5
        )

    def __enter__(self) -> LiveProgress:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._end()
        self._live.stop()

    def stage(self, name: str) -> None:
        """The bar begins anew."""
        self._end()
        self._begin(name)

    def epoch(self, row: Row, n_epochs: int) -> None:
        """The bar moves, the loss is shown below it."""
        number = int(row["epoch"])
        self._pace.add(row)
        self._share = number / n_epochs
        self._detail = f"epoch {number}/{n_epochs}, {self._pace.left(n_epochs - number)}"
        self._below = epoch_in_words(row)

    def mapped(self, n_done: int, n_pixels: int) -> None:
        """The bar moves; below it, which of several scenes this is."""
        self._map_pace.add(n_done, n_pixels)
        self._share = n_done / n_pixels
        self._detail = self._map_pace.in_words()
        self._below = self._map_pace.in_all()

    def scene(self, name: str, number: int, n_scenes: int, n_pixels_after: int) -> None:
        """The next of several scenes."""
        self._map_pace.scene(name, number, n_scenes, n_pixels_after)

    def note(self, text: str) -> None:
        """A sentence that stays."""
        self._console.print(plain(text), style="dim")

    def _begin(self, stage: str) -> None:
        self._stage = stage
        self._began = monotonic()
        self._share = None
        self._detail = self._below = ""

    def _end(self) -> None:
        """Leaves a line behind if the stage took long enough to be wondered about."""
        seconds = monotonic() - self._began
        if seconds >= WORTH_A_LINE_SECONDS:
            self._console.print(f"{self._stage}: {duration(seconds)}", style="dim")
            if self._below:
                self._console.print(" " * INDENT + self._below, style="dim")

    def render(self) -> RenderableType:
        """What is shown at this moment."""
        elapsed = duration(round(monotonic() - self._began))
        bar = Table.grid(padding=(0, 1), expand=True)
        bar.add_column(no_wrap=True)
        bar.add_column(no_wrap=True)
        bar.add_column(ratio=1)
        bar.add_column(no_wrap=True, justify="right")
        bar.add_row(
            self._spinner,
            self._stage,
            ProgressBar(total=1.0, completed=self._share or 0.0, pulse=self._share is None),
            self._detail or elapsed,
        )
        if not self._below:
            return bar
        return Group(bar, Text(" " * INDENT + self._below, style="dim"))
