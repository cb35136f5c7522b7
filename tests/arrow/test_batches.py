"""Batches of a file: where they are cut."""

from __future__ import annotations

import itertools
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext


def lists_of(count: int) -> list:
    return [[[n, n + 1], [None], [], None][n % 4] for n in range(count)]


@pytest.mark.parametrize("kind", ["lists", "structs", "dictionary", "flat", "flat dictionary"])
def test_batches_end_where_those_of_pyarrow_end(tmp_path, kind):
    path, chance = tmp_path / "x.parquet", random.Random(kind)
    numbers = pa.array(range(60))
    texts = pa.array([str(n % 5) for n in range(60)]).dictionary_encode()
    table = {
        "lists": pa.table({"n": numbers, "a": lists_of(60)}),
        "structs": pa.table({"b": [[{"x": n, "y": "y"}] * (n % 3) for n in range(60)]}),
        "dictionary": pa.table({"a": lists_of(60), "d": texts}),
        "flat": pa.table({"n": numbers}),
        "flat dictionary": pa.table({"n": numbers, "d": texts}),
    }[kind]
    ends = sorted(chance.sample(range(1, 60), 7))
    with pq.ParquetWriter(path, table.schema) as writer:
        for begin, end in itertools.pairwise([0, *ends, 60]):
            writer.write_table(table.slice(begin, end - begin))
    for columns, groups in itertools.product([None, [], table.column_names[:1]], [None, [], [2], [5, 0, 1, 1]]):
        for size in (1, 2, 7, 20, 59, 60, 1000):
            with parquetext.ParquetFile(path) as ours, pq.ParquetFile(path) as theirs:
                given = {"batch_size": size, "row_groups": groups, "columns": columns}
                wanted, found = list(theirs.iter_batches(**given)), list(ours.iter_batches(**given))
                assert [batch.num_rows for batch in found] == [batch.num_rows for batch in wanted]
                assert all(one.equals(other) for one, other in zip(found, wanted, strict=True))
                assert all(one.schema.equals(other.schema) for one, other in zip(found, wanted, strict=True))


@pytest.mark.parametrize("engine", [None, "parquetext"])
def test_row_groups_that_are_read_twice_count_twice(tmp_path, engine):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"n": range(60), "a": lists_of(60)}), path, row_group_size=20)
    with parquetext.open(path) as ours, pq.ParquetFile(path) as theirs:
        for groups in ([1, 1, 1], [0, 0, 2], [0, 1, 2, 2], [2, 0, 1]):
            for columns in ([], ["n"], ["a"]):
                wanted = theirs.read_row_groups(groups, columns)
                assert ours.read(columns, groups, engine=engine).equals(wanted)
                assert ours.read(columns, groups, engine=engine).num_rows == 20 * len(groups)
