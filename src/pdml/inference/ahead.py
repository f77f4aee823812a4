"""Preparing the next item in a thread while the one before it is worked on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def one_ahead(prepare: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """What `prepare` makes of each item, in order; one item is prepared ahead.

    An error in `prepare` is raised where its result would have come.
    """
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="ahead") as thread:
        coming: Future[R] | None = None
        for item in items:
            ready, coming = coming, thread.submit(prepare, item)
            if ready is not None:
                yield ready.result()
                ready = None  # so that no more than two results are held
        if coming is not None:
            yield coming.result()
