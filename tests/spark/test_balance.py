"""Files put together into tasks of like weight."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from parquetext.spark.balance import FILES_PER_TASK, TASKS_PER_SLOT, pack

GB = 10**9


def totals(weights: list[int], tasks: list[list[int]]) -> list[int]:
    return [sum(weights[position] for position in task) for task in tasks]


@given(st.lists(st.integers(0, 10**12), max_size=200), st.integers(1, 9))
def test_each_file_is_in_one_task_and_none_is_heavier_than_the_mean_and_one_file(weights, slots):
    tasks = pack(weights, slots)
    assert sorted(position for task in tasks for position in task) == list(range(len(weights)))
    assert all(tasks)
    if tasks:
        assert max(totals(weights, tasks)) <= sum(weights) / len(tasks) + max(weights)


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=200), st.integers(1, 9))
def test_the_heaviest_tasks_start_first(weights, slots):
    loads = totals(weights, pack(weights, slots))
    assert loads == sorted(loads, reverse=True)


def test_a_large_file_has_its_task_and_is_first_in_any_order():
    weights = [4_000_000] * 500 + [10 * GB] + [4_000_000] * 500
    tasks = pack(weights, 2)
    assert tasks[0] == [500]
    assert len(tasks) == 2 * TASKS_PER_SLOT
    others = totals(weights, tasks)[1:]
    assert max(others) - min(others) <= 4_000_000


def test_many_small_files_make_tasks_of_bounded_length():
    tasks = pack([1] * (FILES_PER_TASK * 20 + 1), 2)
    assert max(map(len, tasks)) <= FILES_PER_TASK


def test_nothing_makes_no_task():
    assert pack([], 4) == []
