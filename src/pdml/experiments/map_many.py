"""Mapping one scene or several: everything that can be refused is, before the first is mapped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pdml.errors import PdmlError
from pdml.experiments.listener import Listener
from pdml.experiments.map_files import require_packages
from pdml.experiments.map_journal import Journal
from pdml.experiments.map_options import MapOptions
from pdml.experiments.map_output import format_of, require_free, require_writable
from pdml.experiments.map_run import write_map
from pdml.experiments.subject import Subject
from pdml.inference.bundle import Bundle


@dataclass(frozen=True)
class MapRequest:
    """A scene that is to be mapped.

    Attributes:
        name: How it is called in messages.
        open: Opens it; called twice, so that no more than one scene is in memory.
        out: Where its map goes.
    """

    name: str
    open: Callable[[], Subject]
    out: Path


def write_maps(
    bundle: Bundle,
    requests: Sequence[MapRequest],
    *,
    options: MapOptions | None = None,
    listener: Listener | None = None,
) -> None:
    """Maps scenes one after the other.

    Args:
        bundle: The model.
        requests: The scenes; maps of several are in one folder.
        options: How to map.
        listener: Who is told of progress.

    Raises:
        PdmlError: If a scene does not fit the model, or something cannot be written.
    """
    options, listener = options or MapOptions(), listener or Listener()
    folder = requests[0].out.parent
    several = len(requests) > 1
    journal = Journal(folder) if several else None
    sizes = []
    for request in requests:
        with _named(request, several=several):
            sizes.append(_require_possible(bundle, request, options, journal))
    require_writable(folder)
    for at, request in enumerate(requests):
        if several:
            listener.scene(request.name, at + 1, len(requests), sum(sizes[at + 1 :]))
        with _named(request, several=several):
            write_map(
                bundle,
                request.open(),
                request.out,
                options=options,
                listener=listener,
                journal=journal,
            )
    if journal:
        journal.remove()


def _require_possible(
    bundle: Bundle, request: MapRequest, options: MapOptions, journal: Journal | None
) -> int:
    """Refuses what can be refused now; the number of pixels."""
    kind = format_of(request.out, None)
    options.require_sound(kind)
    options.require_possible(bundle.model)
    require_packages(kind)
    if not (journal and journal.mentions(request.out)):
        require_free(request.out, overwrite=options.overwrite, going_on=True)
    scene = request.open().scene
    bundle.require_fit(scene)
    return scene.n_rows * scene.n_cols


@contextmanager
def _named(request: MapRequest, *, several: bool) -> Iterator[None]:
    """Says which of several scenes an error is about."""
    try:
        yield
    except PdmlError as error:
        if not several:
            raise
        raise type(error)(f"{request.name}: {error}") from error
