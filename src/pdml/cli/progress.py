"""Which progress to show: a moving bar on a terminal, lines of text elsewhere."""

from __future__ import annotations

from pdml.cli.console import make_console
from pdml.cli.live_progress import LiveProgress
from pdml.cli.plain_progress import PlainProgress


def show_progress(*, n_before: int = 0) -> LiveProgress | PlainProgress:
    """Progress for standard output as it is now; use it in a `with` statement.

    Args:
        n_before: Epochs that were done before a run was resumed.
    """
    console = make_console()
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveProgress(console)
    return PlainProgress(n_before=n_before)
