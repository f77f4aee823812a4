"""How fast a mapping gets on, and how long the rest will take."""

from __future__ import annotations

from collections import deque
from time import monotonic

from pdml.cli.console import plain
from pdml.evaluation.report_text import duration, grouped

TILES_OF_PACE = 20


class MapPace:
    """Pixels per second over the last tiles; time left for a scene and for those after it."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque(maxlen=TILES_OF_PACE + 1)
        self._scene = ""
        self._n_after = 0

    def scene(self, name: str, number: int, n_scenes: int, n_pixels_after: int) -> None:
        """Another scene begins."""
        self._seen.clear()
        self._scene = f"scene {number} of {n_scenes} ({name})"
        self._n_after = n_pixels_after

    def add(self, n_done: int, n_pixels: int) -> None:
        """Takes note of the pixels that are done."""
        if self._seen and n_done < self._seen[-1][1]:
            self._seen.clear()  # another map
        self._seen.append((monotonic(), n_done))
        self._n_pixels = n_pixels

    def in_words(self) -> str:
        """Pixels that are done, pixels per second, time left."""
        n_done = self._seen[-1][1]
        text = f"{plain(grouped(n_done))} of {plain(grouped(self._n_pixels))} pixels"
        rate = self._rate()
        if not rate:
            return text
        text += f", {plain(grouped(round(rate)))}/s"
        rest = self._n_pixels - n_done
        return f"{text}, {duration(rest / rate)} left" if rest else text

    def in_all(self) -> str:
        """Which of several scenes this is, and the time left for all; empty for a single one."""
        rate = self._rate()
        if not self._scene or not rate:
            return self._scene
        rest = self._n_pixels - self._seen[-1][1] + self._n_after
        return f"{self._scene}, {duration(rest / rate)} left in all" if rest else self._scene

    def _rate(self) -> float:
        if len(self._seen) < 2:
            return 0.0
        (begun, before), (now, n_done) = self._seen[0], self._seen[-1]
        return (n_done - before) / (now - begun) if now > begun else 0.0
