"""The footer for schema inference: all schema elements, Spark's key-values, and no row groups."""

from __future__ import annotations

import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.java_slices import Request

from parquetext import edits

SPARK = {
    b"org.apache.spark.version": b"4.1.1",
    b"org.apache.spark.legacyDateTime": b"",
    b"org.apache.spark.timeZone": "Europe/Köln".encode(),
}
ROW_METADATA = {b"org.apache.spark.sql.parquet.row.metadata": b'{"type":"struct","fields":[]}' + b" " * 9000}
OTHERS = {b"mine": b"of no use", b"pandas": b"{}"}
TABLE = pa.table(
    {
        "id": pa.array([1, 2], pa.int32()),
        "nested": [{"list": [{"x": 1.5, "y": "a"}], "when": None}, None],
        "map": pa.array([[("k", [1])], None], pa.map_(pa.string(), pa.list_(pa.int64()))),
        "price": pa.array([None, None], pa.decimal128(20, 3)),
        "at": pa.array([0, 1], pa.timestamp("us", "UTC")),
    }
)


@pytest.fixture(
    params=[
        "flat",
        "flat-in-struct",
        "flat-after-stop",
        "index",
        "index-in-struct",
        "packed",
        "packed-in-struct",
        "par3",
    ]
)
def path(request, tmp_path):
    """A file of many fields in one of the forms."""
    form, _, placement = request.param.partition("-")
    path = tmp_path / "file.parquet"
    pq.write_table(TABLE.replace_schema_metadata(OTHERS | SPARK | ROW_METADATA), path, row_group_size=1)
    edits.upgrade(path, form="flat" if form == "par3" else form, placement=placement or "aside")
    if form == "par3":
        shutil.copyfile(path, tmp_path / "thrift")
        edits.finalize(path, confirm=True)
    return path


def metadata_of(answer) -> pq.FileMetaData:
    assert answer.footer is not None, answer
    whole = b"".join((b"PAR1", answer.footer, len(answer.footer).to_bytes(4, "little"), b"PAR1"))
    return pq.read_metadata(pa.BufferReader(whole))


def schema_of(path) -> pq.ParquetSchema:
    thrift = path.with_name("thrift")
    return pq.read_metadata(thrift if thrift.exists() else path).schema


def test_a_schema_has_all_elements_and_no_row_groups(ask, path):
    metadata = metadata_of(*ask([Request(path, [], "schema")]))
    assert metadata.schema.equals(schema_of(path))
    assert metadata.schema.to_arrow_schema().names == TABLE.schema.names
    assert metadata.num_row_groups == 0
    assert metadata.created_by.startswith("parquet-cpp-arrow")


def test_a_schema_keeps_the_key_values_that_spark_infers_it_from(ask, path):
    assert metadata_of(*ask([Request(path, [], "schema")])).metadata == SPARK | ROW_METADATA


def test_a_scan_keeps_the_key_values_of_its_calendar(ask, path):
    assert metadata_of(*ask([Request(path, [b"id"], "slice")])).metadata == SPARK


def test_bounds_of_a_scan_are_those_of_the_file(ask, path):
    """Row groups are skipped by them."""
    found = metadata_of(*ask([Request(path, [b"id"], "slice")]))
    bounds = [found.row_group(group).column(0).statistics for group in range(2)]
    assert [(bound.min, bound.max, bound.null_count) for bound in bounds] == [(1, 1, 0), (2, 2, 0)]
