"""A scene in horizontal strips, so that no step needs the whole of it in memory at once."""

from __future__ import annotations

from collections.abc import Iterator

from pdml.scenes.scene import Scene
from pdml.scenes.window import Window

STRIP_BYTES = 32 * 2**20


def row_blocks(scene: Scene, *, strip_bytes: int = STRIP_BYTES) -> Iterator[Window]:
    """Windows over full rows, from top to bottom, each below a size.

    Args:
        scene: The scene to be read.
        strip_bytes: Most that one strip may take as float64; one row is read in any case.

    Yields:
        Windows that together cover the scene once.
    """
    n_rows, n_cols, n_bands = scene.shape
    step = max(1, strip_bytes // (8 * n_cols * n_bands))
    for start in range(0, n_rows, step):
        yield Window(start, min(start + step, n_rows), 0, n_cols)
