"""Tasks done by several threads: results come in order, and the first task that fails is the one that is told of."""

from __future__ import annotations

import os
import threading

import pytest

from parquetext.reading.execute import in_threads
from parquetext.reading.execute.in_threads import each


@pytest.fixture(autouse=True)
def four_workers(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 4)


@pytest.mark.parametrize("use_threads", [False, True], ids=["alone", "threads"])
@pytest.mark.parametrize("weights", [None, list(range(100))], ids=["as given", "weighed"])
def test_results_come_in_the_order_of_the_tasks(use_threads, weights):
    assert each(lambda task: task * 2, range(100), use_threads, weights) == list(range(0, 200, 2))


def test_no_tasks_have_no_results():
    assert each(lambda task: task, [], True) == []


def test_heavy_tasks_begin_first(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    begun, turn = [], threading.Barrier(2)

    def read(task: str) -> None:
        begun.append(task)
        turn.wait(10)

    each(read, ["lightest", "heavy", "heaviest", "light"], True, [1, 8, 9, 2])
    assert set(begun[:2]) == {"heavy", "heaviest"} and set(begun[2:]) == {"light", "lightest"}


@pytest.mark.parametrize("failing", [[3], [5, 3, 70], [99, 98], [0, 1, 2]])
def test_the_error_of_the_first_failed_task_in_order_is_raised(failing):
    def read(task: int) -> int:
        if task in failing:
            raise ValueError(task)
        return task

    for weights in (None, list(range(100))):
        with pytest.raises(ValueError) as raised:
            each(read, range(100), True, weights)
        assert raised.value.args == (min(failing),)


def test_an_interrupt_waits_for_tasks_that_have_begun_and_begins_no_other():
    begun, ended, is_interrupted = [], [], threading.Event()
    main = threading.get_ident()

    def read(task: int) -> None:
        begun.append(task)
        try:
            if threading.get_ident() == main:
                is_interrupted.set()
                raise KeyboardInterrupt
            is_interrupted.wait(10)
        finally:
            ended.append(task)

    with pytest.raises(KeyboardInterrupt):
        each(read, range(1000), True)
    assert sorted(begun) == sorted(ended) and len(begun) < 1000


def test_an_interrupt_between_taking_and_starting_a_task_causes_no_deadlock(monkeypatch):
    main, take = threading.get_ident(), in_threads._Work._next

    def take_and_stop(work) -> int | None:
        number = take(work)
        if threading.get_ident() == main:
            raise KeyboardInterrupt
        return number

    monkeypatch.setattr(in_threads._Work, "_next", take_and_stop)
    with pytest.raises(KeyboardInterrupt):
        each(lambda task: task, range(100), True)


@pytest.mark.parametrize("started", [0, 2])
def test_threads_that_the_system_refuses_are_done_without(monkeypatch, started):
    """As where memory or processes are limited, and at the interpreter's end."""
    left = [None] * started
    start = in_threads.start_new_thread

    def start_some(*arguments) -> int:
        if not left:
            raise RuntimeError("can't start new thread")
        left.pop()
        return start(*arguments)

    monkeypatch.setattr(in_threads, "start_new_thread", start_some)
    assert each(lambda task: task * 2, range(100), True) == list(range(0, 200, 2))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("step", ["_next", "_fail"])
def test_a_task_that_a_thread_loses_for_want_of_memory_is_an_error(monkeypatch, step):
    main, is_lost, original = threading.get_ident(), threading.Event(), getattr(in_threads._Work, step)

    def lose(work, *arguments) -> int | None:
        found = original(work, *arguments) if step == "_next" else None
        if threading.get_ident() == main or is_lost.is_set() or (step == "_next" and found is None):
            return found  # a thread that an earlier test has started may come late, to no task
        is_lost.set()
        work._busy.discard(threading.get_ident())
        raise MemoryError

    def read(task: int) -> int:
        assert threading.get_ident() != main or is_lost.wait(60)
        if step == "_fail" and threading.get_ident() != main:
            raise MemoryError
        return task

    monkeypatch.setattr(in_threads._Work, step, lose)
    with pytest.raises(MemoryError):
        each(read, range(100), True)
