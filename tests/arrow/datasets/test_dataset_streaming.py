"""Streamed datasets: bounded memory and read-ahead; all work stops when the consumer stops."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from threading import Event

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.scan_peaks import peaks_of_scans

import parquetext
from parquetext.arrow.datasets.streaming import stream
from parquetext.errors import ParquetextError

ROWS_OF_GROUP = 1 << 19


def write(path: Path, row_groups: int, columns: int) -> Path:
    """Random doubles, which no encoding makes smaller."""
    random = np.random.default_rng(1)
    schema = pa.schema([(f"c{n}", pa.float64()) for n in range(columns)])
    with pq.ParquetWriter(path, schema, use_dictionary=False, compression="none") as writer:
        for _ in range(row_groups):
            values = {f"c{n}": random.random(ROWS_OF_GROUP) for n in range(columns)}
            writer.write_table(pa.table(values), row_group_size=ROWS_OF_GROUP)
    return path


@pytest.fixture(scope="module")
def peaks(request, tmp_path_factory) -> dict[str, tuple[int, int]]:
    """For each way to read the peaks of ours and of pyarrow's, in bytes."""
    groups = 40 if request.config.getoption("--long") else 8
    return peaks_of_scans(write(tmp_path_factory.mktemp("lake") / "a.parquet", groups, 3))


@pytest.mark.parametrize("verb", ["head", "batches", "slowly read batches", "filtered table"])
def test_a_scan_takes_less_than_twice_pyarrows_memory(peaks, verb):
    ours, theirs = peaks[verb]
    assert ours < 2 * theirs + (8 << 20)


def test_a_scan_takes_a_part_of_the_file(peaks):
    """The file has 96 MiB or more, a row group 12, of which `head` reads a piece of 1 MiB for each of three columns.

    The threads decide how much more is read ahead before it ends, on a loaded machine up to 85 MiB.
    """
    assert peaks["head"][0] < 24 << 20
    assert peaks["batches"][0] < 96 << 20 and peaks["filtered table"][0] < 96 << 20
    assert peaks["slowly read batches"][0] < 144 << 20


class Part:
    """A part of this size."""

    def __init__(self, name: tuple[int, int], nbytes: int = 1):
        self.name, self.nbytes = name, nbytes


def settled(count: list, seconds: float = 0.05) -> int:
    """How many were counted, once no more come."""
    before = -1
    while before != len(count):
        before = len(count)
        time.sleep(seconds)
    return before


class TestReadAhead:
    def parts_of(self, done: list, each: int = 6, nbytes: int = 1):
        def parts_of(number: int):
            for part in range(each):
                done.append((number, part))
                yield Part((number, part), nbytes)

        return parts_of

    def test_all_parts_in_order(self):
        for items_ahead, parts_ahead in ((0, 0), (1, 1), (4, 16), (3, 1), (4, 0)):
            done = []
            found = stream(self.parts_of(done), range(9), items_ahead=items_ahead, parts_ahead=parts_ahead)
            assert [part.name for part in found] == [(number, part) for number in range(9) for part in range(6)]
            assert len(done) == 54

    def test_only_the_first_part_is_read_if_no_more_is_requested(self):
        done = []
        assert next(stream(self.parts_of(done), range(9), items_ahead=4, parts_ahead=16)).name == (0, 0)
        assert settled(done) == 1

    def test_so_many_parts_wait_and_no_more(self):
        done = []
        found = stream(self.parts_of(done), range(9), items_ahead=4, parts_ahead=10)
        taken = [next(found).name for _ in range(2)]
        # Those taken, ten that wait, and one for each file whose thread had begun with it before.
        assert taken == [(0, 0), (0, 1)] and 10 <= settled(done) - 2 <= 10 + 3

    def test_large_parts_count_by_their_bytes(self):
        done = []
        found = stream(self.parts_of(done, nbytes=40 << 20), range(9), items_ahead=2, parts_ahead=16)
        next(found), next(found)
        assert settled(done) - 2 <= 3

    def test_nothing_is_read_after_the_end(self):
        done = []
        found = stream(self.parts_of(done), range(9), items_ahead=2, parts_ahead=4)
        next(found), next(found)
        found.close()
        before = settled(done)
        time.sleep(0.1)
        assert len(done) == before < 20

    def test_an_error_comes_at_its_offset(self):
        def parts_of(number: int):
            yield Part((number, 0))
            if number == 3:
                raise ParquetextError("broken")
            yield Part((number, 1))

        found, taken = stream(parts_of, range(9), items_ahead=4, parts_ahead=16), []
        with pytest.raises(ParquetextError, match="broken"):
            taken += [taken.append(part.name) for part in found]
        assert taken == [(number, part) for number in range(3) for part in range(2)] + [(3, 0)]

    def test_later_items_wait_for_a_slow_first_one(self):
        go, done = Event(), []

        def parts_of(number: int):
            for part in range(4):
                if (number, part) == (0, 2):
                    assert go.wait(10)
                done.append(number)
                yield Part((number, part))

        found = stream(parts_of, range(5), items_ahead=3, parts_ahead=4)
        next(found), next(found)
        time.sleep(0.05)
        assert done.count(0) == 2
        go.set()
        assert [part.name[0] for part in found] == [0, 0, *(number for number in range(1, 5) for _ in range(4))]


def test_small_batches_of_large_row_groups(tmp_path):
    """Row groups that have more rows than a batch are decoded piece by piece, by both engines."""
    table = pa.table({"a": pa.array(range(5000)), "t": [str(n % 13) for n in range(5000)]})
    for number in range(3):
        pq.write_table(table, tmp_path / f"{number}.parquet", row_group_size=2100)
    expected = pa.concat_tables([table] * 3)
    for engine in ("pyarrow", "parquetext"):
        lake = parquetext.dataset(tmp_path, engine=engine)
        for filter in (None, pc.field("a") > 4000):
            wanted = expected if filter is None else expected.filter(filter)
            for threads in (True, False):
                batches = list(lake.to_batches(filter=filter, batch_size=300, use_threads=threads))
                assert max(batch.num_rows for batch in batches) <= 300
                assert pa.Table.from_batches(batches) == wanted
        assert lake.head(4500).equals(expected.slice(0, 4500))


def test_a_process_ends_while_batches_wait(tmp_path):
    pq.write_table(pa.table({"a": pa.array(range(20_000))}), tmp_path / "a.parquet", row_group_size=10_000)
    program = (
        "import sys, parquetext\n"
        "batches = parquetext.dataset(sys.argv[1]).to_batches(batch_size=10)\n"
        "print(len(next(batches)), len(next(batches)), len(next(batches)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("10 10 10\n", "", 0)


def test_small_row_groups_come_as_one_table_and_as_a_batch_each(tmp_path):
    pq.write_table(pa.table({"n": range(100)}), tmp_path / "x.parquet", row_group_size=10)
    scanner = parquetext.dataset(tmp_path / "x.parquet").scanner()
    assert [table.num_rows for table in scanner.tables()] == [100]
    assert [batch.num_rows for batch in scanner.to_batches()] == [10] * 10
    few = parquetext.dataset(tmp_path / "x.parquet").scanner(batch_size=25)
    assert [table.num_rows for table in few.tables()] == [20] * 5
