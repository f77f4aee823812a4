"""Items are prepared in a thread, one ahead of what is worked on."""

from __future__ import annotations

import threading

import pytest

from pdml.inference.ahead import one_ahead


def test_results_come_in_order_and_nothing_is_prepared_more_than_one_ahead() -> None:
    prepared: list[int] = []

    def prepare(number: int) -> int:
        prepared.append(number)
        return number * number

    for at, result in enumerate(one_ahead(prepare, range(5))):
        assert result == at * at
        assert len(prepared) <= at + 2
    assert prepared == [0, 1, 2, 3, 4]


def test_the_next_item_is_prepared_while_one_is_worked_on() -> None:
    second_is_ready = threading.Event()

    def prepare(number: int) -> int:
        if number == 1:
            second_is_ready.set()
        return number

    results = one_ahead(prepare, [0, 1])
    assert next(results) == 0
    assert second_is_ready.wait(timeout=10)


def test_nothing_is_prepared_of_nothing() -> None:
    assert list(one_ahead(lambda item: item, [])) == []


def test_an_error_is_raised_where_the_result_would_have_come() -> None:
    def prepare(number: int) -> int:
        if number == 1:
            raise KeyError(number)
        return number

    results = one_ahead(prepare, [0, 1, 2])
    assert next(results) == 0
    with pytest.raises(KeyError):
        next(results)
