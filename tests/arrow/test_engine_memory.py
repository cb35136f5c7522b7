"""What a few bytes claim costs no memory: batches stay small, and counts that disagree are refused before anything."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.pages import Column, data_page, parquet_file
from support.varints import varint

from parquetext import wire

MOST = (1 << 31) - 1
ROOM = 64 << 20

BATCHES = """if True:
    import resource, sys
    import parquetext
    from parquetext.errors import ParquetextError

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

    with parquetext.open(sys.argv[1]) as file:
        list(file.iter_batches(engine="parquetext"))
    before = peak()
    try:
        with parquetext.open(sys.argv[2]) as file:
            rows = 0
            for batch in file.iter_batches(engine="parquetext"):
                rows += batch.num_rows
                if rows > 20_000_000:
                    break
        outcome = str(rows > 20_000_000)
    except ParquetextError as error:
        outcome = error.message
    print(peak() - before, outcome)
"""
TABLE = BATCHES.replace('list(file.iter_batches(engine="parquetext"))', 'file.read(engine="parquetext")').replace(
    'for batch in file.iter_batches(engine="parquetext"):', 'for batch in file.read(engine="parquetext").to_batches():'
)


def run(count: int, value: int) -> bytes:
    return varint(count << 1) + bytes([value])


def nulls(count: int, **metadata) -> Column:
    page = data_page(b"", count, wire.ENCODING_PLAIN, definition=run(count, 0))
    return Column("x", wire.PHYSICAL_INT64, [page], repetition=wire.REPETITION_OPTIONAL, metadata=metadata)


def wide_nulls(count: int) -> Column:
    page = data_page(b"", count, wire.ENCODING_PLAIN, definition=run(count, 0))
    kind = wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY
    return Column("x", kind, [page], type_length=1 << 20, repetition=wire.REPETITION_OPTIONAL)


def long_row(count: int) -> Column:
    repetition = run(1, 0) + run(count - 1, 1)
    page = data_page(b"", count, wire.ENCODING_PLAIN, definition=run(count, 0), repetition=repetition)
    return Column("x", wire.PHYSICAL_INT64, [page], repetition=wire.REPETITION_REPEATED)


def measured(program: str, tmp_path, data: bytes) -> tuple[int, str]:
    """Bytes that reading a file takes beyond those of reading a small one, and what came of it."""
    assert len(data) <= 500
    (tmp_path / "small.parquet").write_bytes(parquet_file([nulls(3)], rows=3))
    (tmp_path / "x.parquet").write_bytes(data)
    arguments = [str(tmp_path / "small.parquet"), str(tmp_path / "x.parquet")]
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    taken, _, outcome = done.stdout.strip().partition(" ")
    return int(taken), outcome


@pytest.mark.parametrize(
    ("columns", "rows", "outcome"),
    [
        ([nulls(MOST)], MOST, "True"),
        ([wide_nulls(50)], 50, "False"),
        ([long_row(MOST)], 1, "a row of up to 2147483647 values"),
    ],
    ids=["nulls", "wide nulls", "one long row"],
)
def test_batches_of_a_file_of_500_bytes_stay_small(tmp_path, columns, rows, outcome):
    taken, found = measured(BATCHES, tmp_path, parquet_file(columns, rows))
    assert outcome in found and taken < ROOM


@pytest.mark.parametrize(
    ("columns", "rows", "outcome"),
    [
        ([nulls(3)], MOST, "3 values for 2147483647 rows"),
        ([nulls(3, num_values=MOST)], MOST, "rows too early"),
        ([nulls(MOST, num_values=3)], 3, "a page of 2147483647 entries"),
    ],
    ids=["rows", "chunk", "page"],
)
def test_a_table_whose_counts_disagree_takes_no_memory(tmp_path, columns, rows, outcome):
    taken, found = measured(TABLE, tmp_path, parquet_file(columns, rows))
    assert outcome in found and taken < ROOM
