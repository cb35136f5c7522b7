"""Which columns a dictionary makes smaller, and a writer that goes by it."""

from __future__ import annotations

import random
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.arrow.writing.dictionaries import leaf_paths, worth_a_dictionary

ROWS = 30_000


@pytest.fixture(scope="module")
def table() -> pa.Table:
    draw = random.Random(7)
    few = [draw.randrange(100) for _ in range(ROWS)]
    return pa.table(
        {
            "unique": range(ROWS),
            "few": few,
            "text": [f"country {n}" for n in few],
            "key": [f"{n:016x}" for n in range(ROWS)],
            "flag": [n % 2 == 0 for n in few],
            "half": pa.array([n / 2 for n in range(ROWS)], pa.float64()),
            "price": pa.array([Decimal(n) / 100 for n in range(ROWS)], pa.decimal128(12, 2)),
            "rate": pa.array([Decimal(n) / 100 for n in few], pa.decimal128(4, 2)),
            "nothing": pa.nulls(ROWS, pa.int64()),
            "struct": [{"few": n, "unique": i} for i, n in enumerate(few)],
            "list": [[n, n] for n in few],
            "map": pa.array([[(str(n), i)] for i, n in enumerate(few)], pa.map_(pa.string(), pa.int64())),
        }
    )


WORTH = ["few", "text", "rate", "struct.few", "list.list.element", "map.key_value.key"]


def test_columns_that_repeat_their_values_get_a_dictionary(table):
    assert worth_a_dictionary(table) == WORTH
    assert worth_a_dictionary(table.slice(0, 0)) == []


def test_a_dictionary_that_is_abandoned_half_way_must_save_more(table):
    """A dictionary of 20,000 values pays where each is there three times, unless it ends before they come again."""
    twice = pa.table({"n": [n % 20_000 for n in range(60_000)]})
    assert worth_a_dictionary(twice) == ["n"]
    assert worth_a_dictionary(twice, limit=1_000) == []


def test_leaf_paths_are_those_of_the_file(table, tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(table, path)
    metadata = pq.read_metadata(path)
    assert [*leaf_paths(table.schema)] == [metadata.schema.column(n).path for n in range(metadata.num_columns)]


def test_a_table_is_written_with_the_dictionaries_that_save_bytes(table, tmp_path):
    auto, plain = tmp_path / "auto.parquet", tmp_path / "plain.parquet"
    parquetext.write_table(table, auto, use_dictionary="auto", compression="none")
    parquetext.write_table(table, plain, compression="none")
    row_group = pq.read_metadata(auto).row_group(0)
    chunks = [row_group.column(number) for number in range(row_group.num_columns)]
    assert [chunk.path_in_schema for chunk in chunks if chunk.has_dictionary_page] == WORTH
    assert pq.read_table(auto).equals(table)
    assert auto.stat().st_size < 0.9 * plain.stat().st_size
    assert all(chunk.has_column_index and chunk.has_offset_index for chunk in chunks)
