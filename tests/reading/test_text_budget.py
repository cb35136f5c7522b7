"""Texts that few bytes repeat: all threads together decode no more of them than one would."""

from __future__ import annotations

import os
from threading import Barrier, Lock, Thread

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext import kernels
from parquetext.errors import OutOfProportion
from parquetext.reading.execute import decoder
from parquetext.reading.execute.text_budget import TextBudget

WORKERS, PATIENCE = 4, 20  # seconds, where a thread never comes
BUDGET = 1 << 22  # of a file that stores less than 64 KiB


class Meeting:
    """The first calls of all threads wait for each other, so each call's budget is known before any has decoded."""

    def __init__(self):
        self._barrier, self._lock = Barrier(WORKERS), Lock()
        self.shares: list[int] = []

    def call(self, most: int) -> None:
        with self._lock:
            self.shares.append(most)
            is_first = len(self.shares) <= WORKERS
        if is_first:
            self._barrier.wait(PATIENCE)

    @property
    def together(self) -> int:
        return sum(self.shares[:WORKERS])


@pytest.fixture
def meeting(monkeypatch):
    if kernels.implementation() != "native":
        pytest.skip("the compiled kernels alone decode without the interpreter's lock")
    monkeypatch.setattr(os, "cpu_count", lambda: WORKERS)
    return Meeting()


def of_repeated_texts(path, *, lists: bool = False, groups: int = 1) -> pa.Table:
    """Eight columns of many equal texts, stored in a few bytes."""
    text = pa.array(["a text of a few letters"] * (1 << 15))
    values = pa.ListArray.from_arrays(pa.array(range(len(text) + 1), pa.int32()), text) if lists else text
    table = pa.table({f"c{number}": values for number in range(8)})
    pq.write_table(table, path, row_group_size=len(text) // groups)
    assert path.stat().st_size < 1 << 16
    return table


def test_columns_of_a_local_file(tmp_path, meeting, monkeypatch):
    table = of_repeated_texts(tmp_path / "t.parquet")
    from_file = kernels.column.from_file

    def watched(*given, most_bytes, **options):
        meeting.call(most_bytes)
        return from_file(*given, most_bytes=most_bytes, **options)

    monkeypatch.setattr(kernels.column, "from_file", watched)
    assert parquetext.read_table(tmp_path / "t.parquet", engine="parquetext").equals(table)
    assert 0 < meeting.together <= BUDGET


def test_columns_that_are_read_page_by_page(tmp_path, meeting, monkeypatch):
    table = of_repeated_texts(tmp_path / "t.parquet", lists=True)

    class Watched(decoder.ChunkReader):
        def __init__(self, *given, most_bytes=None, **options):
            if most_bytes is not None:
                meeting.call(most_bytes)
            super().__init__(*given, most_bytes=most_bytes, **options)

    monkeypatch.setattr(decoder, "ChunkReader", Watched)
    assert parquetext.read_table(tmp_path / "t.parquet", engine="parquetext").equals(table)
    assert 0 < meeting.together <= BUDGET


def test_short_chunks(tmp_path, meeting, monkeypatch):
    table = of_repeated_texts(tmp_path / "t.parquet", groups=16)

    class Watched(kernels.arrays.Arrays):
        def parts(self, most_bytes, most_leaves):
            return super().parts(most_bytes, 2)

        def read(self, fd, first, end, most_bytes):
            meeting.call(most_bytes)
            return super().read(fd, first, end, most_bytes)

    monkeypatch.setattr(kernels.arrays, "Arrays", Watched)
    assert parquetext.read_table(tmp_path / "t.parquet").equals(table)
    assert 0 < meeting.together <= BUDGET


def test_a_column_with_more_than_its_share_gets_the_rest_when_others_are_done(tmp_path, meeting, monkeypatch):
    few, many = ["few"] * (1 << 15), ["a text of " + 60 * "x"] * (1 << 15)
    table = pa.table({f"c{number}": many if number == 1 else few for number in range(8)})
    pq.write_table(table, tmp_path / "t.parquet")
    from_file, shares = kernels.column.from_file, []

    def watched(columns, *given, most_bytes, **options):
        are_done = from_file(columns, *given, most_bytes=most_bytes, **options)
        shares.append((most_bytes, all(are_done)))
        return are_done

    monkeypatch.setattr(kernels.column, "from_file", watched)
    assert parquetext.read_table(tmp_path / "t.parquet", engine="parquetext").equals(table)
    assert [is_done for _, is_done in shares].count(False) == 1
    assert max(shares)[1] and max(shares)[0] > 70 << 15


def in_threads(do, count: int) -> None:
    threads = [Thread(target=do) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_unused_budget_is_returned():
    budget = TextBudget(100, 2)
    for _ in range(10):
        budget.spend(lambda most: (None, 0))
    assert budget.spend(lambda most: (most, 30)) == 50
    assert budget.spend(lambda most: (most, 0)) == 35
    with budget.rest() as share:
        assert share.most == 70


def test_failed_calls_take_no_budget():
    budget = TextBudget(100, 2)

    def fail(most: int):
        raise OSError(most)

    with pytest.raises(OSError):
        budget.spend(fail)
    with budget.rest() as share:
        assert share.most == 100


def test_threads_that_all_want_more_than_a_share_take_turns():
    budget, lock, barrier = TextBudget(100, WORKERS), Lock(), Barrier(WORKERS)
    decoding_now, most_at_once, results = 0, 0, []

    def decode(most: int) -> tuple[int, int]:
        nonlocal decoding_now, most_at_once
        if most < 60:
            barrier.wait(PATIENCE)
            raise OutOfProportion("more than a share")
        with lock:
            decoding_now += most
            most_at_once = max(most_at_once, decoding_now)
        with lock:
            decoding_now -= most
        return most, 10

    in_threads(lambda: results.append(budget.spend(decode)), WORKERS)
    assert sorted(results) == [70, 80, 90, 100] and most_at_once <= 100


def test_one_thread_has_all_of_it_and_does_nothing_twice():
    calls = []

    def decode(most: int):
        calls.append(most)
        raise OutOfProportion("more than there is")

    with pytest.raises(OutOfProportion):
        TextBudget(100).spend(decode)
    assert calls == [100]
