"""Names of columns that are not UTF-8: pyarrow accepts them, and fails when they are accessed."""

from __future__ import annotations

import io

import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.arrow.writing.rewriting import rewrite_file
from parquetext.errors import Malformed

READS = {
    "schema": lambda path: parquetext.open(path).schema,
    "dataset": lambda path: parquetext.dataset(path).to_table(),
    "filter": lambda path: parquetext.dataset(path).to_table(filter=[("b", "==", "x")]),
    "head": lambda path: parquetext.dataset(path).head(1),
    "batches": lambda path: list(parquetext.dataset(path).to_batches()),
    "rewrite": lambda path: rewrite_file(path, path.with_name("out.parquet")),
    "polars": lambda path: parquetext.scan_polars(path).collect(),
}


@pytest.fixture(params=[True, False], ids=["arrow-schema", "parquet-schema"])
def path(request, tmp_path):
    sink = io.BytesIO()
    table = pa.table({"group": [{"nameaa": 1}, {"nameaa": 2}], "b": ["x", "y"]})
    pq.write_table(table, sink, store_schema=request.param)
    path = tmp_path / "x.parquet"
    path.write_bytes(sink.getvalue().replace(b"nameaa", b"name\xff\xfe"))
    return path


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_such_a_name_is_an_error_with_file_and_offset(path, read):
    with pytest.raises(Malformed, match=r"x.parquet: the name of a column is not UTF-8: b'name\\xff\\xfe'") as error:
        read(path)
    footer = path.stat().st_size - 8 - int.from_bytes(path.read_bytes()[-8:-4], "little")
    assert footer < error.value.offset
    assert path.read_bytes()[error.value.offset :].startswith(b"name\xff\xfe")


@pytest.mark.parametrize("engine", [None, "pyarrow", "parquetext", "auto"])
def test_such_a_name_is_an_error_if_rows_are_read_in_another_order(tmp_path, engine):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"nameaa": range(5)}), path, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"nameaa", b"name\xff\xfe"))
    assert parquetext.read_table(path, engine=engine).num_rows == 5
    with pytest.raises(Malformed, match=r"x.parquet: the name of a column is not UTF-8: b'name\\xff\\xfe'"):
        parquetext.read_table(path, rows=[3, 1], engine=engine)


def test_other_columns_of_such_a_file_are_read(path):
    assert polars.from_arrow(parquetext.read_table(path, ["b"]))["b"].to_list() == ["x", "y"]
