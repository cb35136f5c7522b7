"""Calls in threads, and calls when no thread can be started."""

from __future__ import annotations

import concurrent.futures
import subprocess
import sys
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.arrow.datasets.in_order import in_order
from parquetext.arrow.datasets.streaming import stream
from parquetext.threads import Pool

NUMBERS = range(20)


def refuse(*_: object) -> None:
    raise RuntimeError("can't start new thread")


@pytest.fixture(params=["threads", "none", "one", "no pool"])
def threads(request, monkeypatch):
    """Whether the system starts threads, none of them, only the first one, or has no pools any more."""
    executor = concurrent.futures.ThreadPoolExecutor
    if request.param == "no pool":
        monkeypatch.setattr(concurrent.futures, "ThreadPoolExecutor", refuse)
    if request.param == "none":
        monkeypatch.setattr(executor, "_adjust_thread_count", refuse)
    if request.param == "one":
        start = executor._adjust_thread_count

        def start_one(pool) -> None:
            if pool._threads:
                refuse()
            start(pool)

        monkeypatch.setattr(executor, "_adjust_thread_count", start_one)
    return request.param


def test_each_call_is_made_once(threads):
    made = []

    def call(number: int) -> int:
        made.append(number)
        return -number

    with Pool(4) as pool:
        assert pool.map(call, NUMBERS) == [-number for number in NUMBERS]
    assert sorted(made) == list(NUMBERS)


def test_errors_of_a_call_are_raised_when_its_result_is_requested(threads):
    with Pool(4) as pool:
        fine, failing = pool.submit(int, "5"), pool.submit(int, "five")
        assert fine.result() == 5
        with pytest.raises(ValueError, match="five"):
            failing.result()


def test_results_come_in_order(threads):
    assert list(in_order(lambda number: number * 2, NUMBERS, threads=True)) == [number * 2 for number in NUMBERS]


def test_a_stream_has_all_parts_in_order_and_an_error_at_its_offset(threads):
    def parts_of(item: int):
        for number in range(50):
            if (item, number) == (15, 30):
                raise ValueError(item)
            yield pa.array([item, number])

    found = stream(parts_of, NUMBERS, items_ahead=4, parts_ahead=8)
    wanted = [[item, number] for item in NUMBERS for number in range(50)][: 15 * 50 + 30]
    assert [next(found).to_pylist() for _ in wanted] == wanted
    with pytest.raises(ValueError, match="15"):
        next(found)


def test_a_stream_is_left_half_way(threads):
    ended = []

    def parts_of(item: int):
        try:
            for number in range(50):
                yield pa.array([number])
        finally:
            ended.append(item)

    found = stream(parts_of, NUMBERS, items_ahead=4, parts_ahead=8)
    for _ in range(60):
        next(found)
    found.close()
    assert 0 in ended


def test_a_dataset_is_read(tmp_path, threads):
    table = pa.table({"n": range(1000)})
    for number in range(8):
        pq.write_table(table.slice(number * 125, 125), tmp_path / f"{number}.parquet", row_group_size=10)
    lake = parquetext.dataset(tmp_path)
    assert lake.to_table().equals(table) and lake.count_rows(filter=[("n", ">", 10)]) == 989
    assert pa.Table.from_batches(lake.to_batches(batch_size=7)).equals(table)


@pytest.mark.parametrize("late", ["atexit.register(read)", "threading.Thread(target=read).start()"])
def test_files_are_read_after_the_main_thread_has_ended(tmp_path, late):
    """As in a script that starts threads and has nothing else to do."""
    for number in range(4):
        pq.write_table(pa.table({"n": range(5000)}), tmp_path / f"{number}.parquet", row_group_size=100)
    script = f"""
import atexit, threading
import pyarrow.dataset, parquetext
def read():
    if threading.current_thread() is not threading.main_thread():
        threading.main_thread().join()
    print(parquetext.read_table({str(tmp_path / "0.parquet")!r}).num_rows)
    lake = parquetext.dataset({str(tmp_path)!r})
    print(lake.to_table().num_rows, sum(map(len, lake.to_batches(batch_size=50))), lake.scanner().count_rows())
{late}
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert (ended.stdout.split(), ended.stderr) == (["5000", "20000", "20000", "20000"], "")


def test_a_task_that_a_thread_makes_is_waited_for():
    begun, go_on = threading.Event(), threading.Event()

    def call() -> int:
        begun.set()
        return 7 if go_on.wait(60) else 0

    with Pool(1) as pool:
        task = pool.submit(call)
        assert begun.wait(60)
        task.is_alone = True  # as if the system had refused a thread, while an older one took the call
        threading.Timer(0, go_on.set).start()
        assert task.result() == 7
