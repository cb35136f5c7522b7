"""Reads in processes that are forked while other threads of the parent read."""

from __future__ import annotations

import io
from contextlib import contextmanager
from threading import Event, Thread

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.forks import in_a_fork
from support.systems import needs

import parquetext
from parquetext.forks import cached_property
from parquetext.storage import ranged_file

pytestmark = [needs("fork"), pytest.mark.filterwarnings("ignore:.*fork")]


class Stored(io.BytesIO):
    """A file object of the caller, whose buffer is not read directly."""


@contextmanager
def in_a_thread(work):
    """Run something in a thread until the block ends."""
    end, begun = Event(), Event()

    def run() -> None:
        work(begun, end)

    thread = Thread(target=run)
    thread.start()
    begun.wait()
    try:
        yield
    finally:
        end.set()
        thread.join()


def test_a_forked_process_reads_although_it_was_forked_during_reads(tmp_path):
    path = tmp_path / "numbers.parquet"
    pq.write_table(pa.table({"i": range(100_000)}), path, row_group_size=10_000)
    file = parquetext.open(path)

    def read(begun: Event, end: Event) -> None:
        while not end.is_set():
            file.take([3, 50_000])
            begun.set()

    def reads() -> bool:
        with parquetext.open(path) as own:
            return own.take([70_000])["i"].to_pylist() == [70_000]

    assert reads()  # modules are imported before: Python's import locks survive a fork, too
    with in_a_thread(read), in_a_thread(read), in_a_thread(read):
        assert all(in_a_fork(reads, seconds=20) for _ in range(40))


@pytest.mark.parametrize("lock", ["of the file", "of files that cannot be hashed", "of the choice"])
def test_a_forked_process_reads_a_file_object_that_a_thread_of_the_parent_was_reading(lock):
    stored = Stored()
    pq.write_table(pa.table({"i": range(10)}), stored)
    locks = {"of the file": ranged_file._lock_of(stored), "of the choice": ranged_file._choosing}
    lent = locks.get(lock, ranged_file._of_others)

    def hold(begun: Event, end: Event) -> None:
        with lent:
            begun.set()
            end.wait(1 if lock == "of the choice" else None)  # for this one a fork waits

    def reads() -> bool:
        return ranged_file._of_others.acquire(timeout=5) and parquetext.read_table(stored).num_rows == 10

    assert parquetext.read_table(stored).num_rows == 10
    with in_a_thread(hold):
        assert in_a_fork(reads, seconds=20)


def test_a_cached_property_is_computed_once_per_object_and_keeps_its_help():
    class Counted:
        calls = 0

        @cached_property
        def number(self) -> int:
            """Count the calls."""
            self.calls += 1
            return self.calls

    one, other = Counted(), Counted()
    assert (one.number, one.number, other.number) == (1, 1, 1)
    assert Counted.number.__doc__ == "Count the calls."
