"""The chunk table: one row per column chunk."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.corpus_files import readable

import parquetext


@pytest.mark.usefixtures("implementation")
def test_rows_are_ordered_by_row_group_and_leaf(tmp_path):
    path = str(tmp_path / "table.parquet")
    table = pa.table({"n": [1, 2, 3, None], "s": ["a", "b", "c", "d"], "t": pa.array([None] * 4, pa.string())})
    pq.write_table(table, path, row_group_size=2, compression="zstd")
    with parquetext.open(path) as file:
        chunks = file.to_arrow()
        column = file.column("n")
        assert chunks.column("data_page_offset").to_pylist()[0::3] == list(column.data_page_offset)
    chunks.validate(full=True)
    assert chunks.column("row_group").to_pylist() == [0, 0, 0, 1, 1, 1]
    assert chunks.column("leaf").to_pylist() == [0, 1, 2] * 2
    assert chunks.column("column").to_pylist() == ["n", "s", "t"] * 2
    assert chunks.column("physical_type").to_pylist() == ["INT64", "BYTE_ARRAY", "BYTE_ARRAY"] * 2
    assert set(chunks.column("codec").to_pylist()) == {"ZSTD"}
    assert chunks.column("null_count").to_pylist() == [0, 0, 2, 1, 0, 2]
    one, three = ((n).to_bytes(8, "little") for n in (1, 3))
    assert chunks.column("min").to_pylist() == [one, b"a", None, three, b"c", None]
    assert chunks.column("bloom_filter_offset").null_count == 6


def test_it_has_every_chunk_of_the_corpus(corpus, expected):
    for path in readable(corpus, expected):
        with parquetext.open(str(path)) as file:
            chunks = file.to_arrow()
            chunks.validate(full=True)
            assert chunks.num_rows == file.num_columns * len(file.row_groups)
