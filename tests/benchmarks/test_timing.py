"""How the benchmarks' rounds are made and compared."""

from __future__ import annotations

import pytest

from benchmarks.cases import rows_of
from benchmarks.timing import Contender, Timing, compare


def test_contenders_take_turns_and_in_alternating_rounds_the_other_one_begins():
    calls = []
    contenders = [Contender(name, lambda call, name=name: calls.append(f"{name}{call}")) for name in "ab"]
    compare(contenders, 2, warm_up=1)
    assert calls == ["a0", "b0", "a1", "b1", "a2", "b2"]
    calls.clear()
    compare(contenders, 2, warm_up=1, alternating=True)
    assert calls == ["a0", "b0", "b1", "a1", "a2", "b2"]


def test_ratios_of_rounds_are_not_moved_by_a_machine_that_gets_slower():
    times = iter([0, 1, 0, 1.1, 0, 10, 0, 11, 0, 100, 0, 110])
    timings = compare([Contender("a", id), Contender("b", id)], 3, clock=lambda: next(times), warm_up=0)
    assert timings["a"].rounds == (1, 10, 100)
    assert timings["b"].over_by_rounds(timings["a"]) == pytest.approx((1.1, 1.1))
    unlucky = {"a": Timing(1, 10, 3, (1.0, 10.0, 100.0)), "b": Timing(1.1, 2, 3, (1.1, 11.0, 2.0))}
    (_, row) = rows_of("case", "subject", unlucky, {"b": 1.0}, ours="a", over=Timing.over_by_rounds)
    assert row.ratio == pytest.approx(1.1) and row.met
