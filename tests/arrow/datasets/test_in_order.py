"""Calls over many things: their results in order, by as many threads as make them sooner."""

from __future__ import annotations

import os
import threading
import time

import pytest

from parquetext.arrow.datasets import in_order as module
from parquetext.arrow.datasets.in_order import in_order


@pytest.mark.parametrize(("waits", "most"), [(True, max(module.AT_ONCE, os.cpu_count() or 1)), (False, os.cpu_count())])
def test_calls_that_wait_for_no_network_have_no_more_threads_than_processors(waits, most):
    seen: set[int] = set()

    def call(item: int) -> int:
        seen.add(threading.get_ident())
        time.sleep(0.01)  # longer than the slow work, so that every thread gets an item
        return -item

    assert list(in_order(call, range(100), threads=True, waits=waits)) == [-item for item in range(100)]
    assert len(seen) == most


def test_errors_of_a_call_are_raised_in_its_order():
    found = in_order(lambda item: 1 // (item - 3), range(5), threads=True, waits=False)
    assert [next(found) for _ in range(3)] == [-1, -1, -1]
    with pytest.raises(ZeroDivisionError):
        next(found)
