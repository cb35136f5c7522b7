"""Timestamps of FIXED_LEN_BYTE_ARRAY(12), by every reader, and in all that their bounds decide."""

from __future__ import annotations

import io
import struct

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.pages import Column, data_page, dictionary_page, levels, parquet_file

import parquetext
from parquetext import wire
from parquetext.catalog import batches_of
from parquetext.footer.leaf_types import LeafType
from parquetext.footer.plain import plain_forms
from parquetext.pruning import Comparison
from parquetext.thrift import read, write

ENGINES = [None, "auto", "parquetext"]
VALUES = [0, 1_700_000_000_000_000_001, None, -5, 2**63 - 1, -(2**63)]
UNITS = {"ms": "MILLIS", "us": "MICROS", "ns": "NANOS"}


def stored(value: int, width: int = 12) -> bytes:
    return value.to_bytes(width, "little", signed=True)


def moments(values: list, unit: str = "ns", *, utc: bool = True, encoding: str = "plain", name: str = "x") -> Column:
    present = [value for value in values if value is not None]
    definition = levels([int(value is not None) for value in values], 1)
    if encoding == "dictionary":
        distinct = sorted(set(present))
        indices = bytes([8]) + b"".join(bytes([2, distinct.index(value)]) for value in present)
        pages = [
            dictionary_page(b"".join(map(stored, distinct)), len(distinct)),
            data_page(indices, len(values), wire.ENCODING_RLE_DICTIONARY, definition=definition),
        ]
    else:
        body = b"".join(map(stored, present))
        pages = [data_page(body, len(values), wire.ENCODING_PLAIN, definition=definition)]
    annotation = {"TIMESTAMP": {"isAdjustedToUTC": utc, "unit": {UNITS[unit]: {}}}}
    bounds = {"min_value": stored(min(present)), "max_value": stored(max(present))}
    return Column(
        name,
        wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY,
        pages,
        type_length=12,
        repetition=wire.REPETITION_OPTIONAL,
        element={"logicalType": annotation},
        metadata={"statistics": {"null_count": len(values) - len(present), **bounds}},
    )


def file_of(*groups: list, **options) -> bytes:
    """A file with a row group for each list of values; bounds are in the order of the type."""
    files = [parquet_file([moments(values, **options)], len(values)) for values in groups]
    body, footer = bytearray(b"PAR1"), None
    for file in files:
        size = int.from_bytes(file[-8:-4], "little")
        one = read("FileMetaData", file[-8 - size : -8])
        [row_group] = one["row_groups"]
        for chunk in row_group["columns"]:
            fields, moved = chunk["meta_data"], len(body) - 4
            for position in ("data_page_offset", "dictionary_page_offset"):
                if position in fields:
                    fields[position] += moved
        body += file[4 : -8 - size]
        footer = one if footer is None else footer
        if footer is not one:
            footer["row_groups"].append(row_group)
            footer["num_rows"] += row_group["num_rows"]
    footer["column_orders"] = [{"TYPE_ORDER": {}}]
    made = write("FileMetaData", footer)
    return bytes(body) + made + struct.pack("<I", len(made)) + b"PAR1"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "moments.parquet"
    path.write_bytes(file_of(VALUES))
    return path


@pytest.mark.parametrize("encoding", ["plain", "dictionary"])
@pytest.mark.parametrize(("unit", "utc"), [("ms", False), ("us", True), ("ns", True), ("ns", False)])
@pytest.mark.parametrize("engine", ENGINES)
def test_tables_are_those_of_pyarrow(tmp_path, implementation, engine, unit, utc, encoding):
    path = tmp_path / "moments.parquet"
    path.write_bytes(file_of(VALUES, unit=unit, utc=utc, encoding=encoding))
    table = parquetext.read_table(path, engine=engine)
    assert table.schema.field("x").type == pa.timestamp(unit, "UTC" if utc else None)
    assert table["x"].cast(pa.int64()).to_pylist() == VALUES
    assert table.equals(pq.read_table(path))
    dictionary = parquetext.read_table(path, engine=engine, read_dictionary=["x"])
    assert dictionary["x"].cast(pa.int64()).to_pylist() == VALUES


@pytest.mark.parametrize("engine", ENGINES)
def test_a_moment_beyond_64_bits_is_an_error_as_for_pyarrow(tmp_path, implementation, engine):
    path = tmp_path / "moments.parquet"
    for value in (2**63, -(2**63) - 1):
        path.write_bytes(file_of([0, value]))
        with pytest.raises(pa.ArrowInvalid, match="does not fit in"):
            parquetext.read_table(path, engine=engine)


def test_verify_notes_moments_beyond_64_bits_and_still_finds_damage_in_other_columns(tmp_path, implementation):
    path = tmp_path / "moments.parquet"
    columns = [moments([0, 2**63], name="x"), moments([1, 2], name="y")]
    columns.append(moments([-(2**90), 0], unit="us", name="z"))
    for column in columns:
        column.metadata.clear()
    data = parquet_file(columns, 2)
    path.write_bytes(data)
    report = parquetext.verify(path, deep=True)
    assert report.ok and [(note.kind, note.place, note.is_note) for note in report.findings] == [
        ("beyond-arrow", "row group 0, column x", True),
        ("beyond-arrow", "row group 0, column z", True),
    ]
    assert "does not fit in the 64 bits of timestamp[ns, tz=UTC]" in report.findings[0].message
    at = data.index(stored(1) + stored(2))
    path.write_bytes(data[:at] + b"\xff" + data[at + 1 :])
    report = parquetext.verify(path, deep=True)
    assert not report.ok and any("column y" in finding.place for finding in report.findings if not finding.is_note)


def test_bytes_of_another_length_are_no_timestamps(tmp_path, implementation):
    column = moments([1])
    wrong = Column(**{**vars(column), "type_length": 8, "metadata": {}})
    wrong = Column(**{**vars(wrong), "pages": [data_page(stored(1, 8), 1, wire.ENCODING_PLAIN, definition=b"\2\1")]})
    file = parquet_file([wrong], 1)
    table = parquetext.read_table(io.BytesIO(file), engine="parquetext")
    assert table.schema.field("x").type == pq.read_schema(io.BytesIO(file)).field("x").type == pa.binary(8)


def test_bounds_are_moments(path, implementation):
    with parquetext.open(path) as file:
        column = file.column("x")
        assert column.min.cast(pa.int64()).to_pylist() == [-(2**63)]
        assert column.max.cast(pa.int64()).to_pylist() == [2**63 - 1]
        assert column.min.type == pa.timestamp("ns", "UTC")
    path.write_bytes(file_of([0, 2**63]))
    with parquetext.open(path) as file:
        assert file.column("x").max.to_pylist() == [None]
        assert list(file.column("x").max_bytes) == [stored(2**63)]


@pytest.mark.parametrize("engine", ENGINES)
def test_filters_skip_row_groups_by_the_number_not_by_its_bytes(tmp_path, implementation, engine):
    """In the order of bytes 256 is less than 1, and -1 is more than both."""
    path = tmp_path / "moments.parquet"
    groups = [[-300, -1], [0, 1], [255, 256], [1000, 2**40]]
    path.write_bytes(file_of(*groups, unit="us"))
    kind = pa.timestamp("us", "UTC")
    for literal in (-300, -2, -1, 0, 1, 2, 255, 256, 257, 2**40):
        for operator, meets in ((">", int.__gt__), ("<=", int.__le__), ("==", int.__eq__)):
            filters = [("x", operator, pa.scalar(literal, kind))]
            found = parquetext.read_table(path, engine=engine, filters=filters)["x"].cast(pa.int64()).to_pylist()
            assert found == [value for group in groups for value in group if meets(value, literal)]


def test_a_filter_for_a_later_moment_reads_no_other_row_group(tmp_path, implementation):
    path = tmp_path / "moments.parquet"
    data = bytearray(file_of([-300, -1], [1000, 2**40]))
    at = data.index(stored(-300))
    data[at - 20 : at] = bytes(20)  # the first page of the first row group
    path.write_bytes(data)
    filters = [("x", ">=", pa.scalar(1000, pa.timestamp("ns", "UTC")))]
    found = parquetext.read_table(path, engine="parquetext", filters=filters)
    assert found["x"].cast(pa.int64()).to_pylist() == [1000, 2**40]


def test_bloom_filters_hash_the_12_bytes():
    kind = pa.timestamp("us", "UTC")
    leaf = LeafType(wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, 12, kind)
    assert plain_forms(Comparison("x", "==", pa.scalar(-7, kind)), leaf, kind) == [stored(-7)]


@pytest.mark.parametrize("engine", ENGINES)
def test_query_engines_give_moments(tmp_path, implementation, engine):
    path = tmp_path / "moments.parquet"
    values = [0, 1_700_000_000_000_001, None, -5]
    path.write_bytes(file_of(values, unit="us"))
    connection = duckdb.connect()
    parquetext.register_duckdb(connection, path, name="t", engine=engine)
    assert connection.sql("select epoch_us(x) from t").fetchall() == [(value,) for value in values]
    lazy = parquetext.scan_polars(path, engine=engine)
    assert lazy.select(polars.col("x").dt.epoch("us")).collect()["x"].to_list() == values
    later = lazy.filter(polars.col("x") > polars.lit(-1).cast(polars.Datetime("us", "UTC"))).collect()
    assert later["x"].dt.epoch("us").to_list() == values[:2]
    rows = parquetext.dataset(path, engine=engine).to_table()
    assert rows["x"].cast(pa.int64()).to_pylist() == values


def test_the_catalog_has_moments_and_numbers(path, implementation):
    path.write_bytes(file_of([-5, 2001]))
    [row] = pa.Table.from_batches(batches_of([str(path)])).to_pylist()
    assert (row["min_integer"], row["max_integer"]) == (-5, 2001)
    assert (row["min_time"].microsecond, row["max_time"].microsecond) == (999_999, 3)
    assert row["physical_type"] == "FIXED_LEN_BYTE_ARRAY" and row["type_length"] == 12


def test_verify_finds_nothing_and_a_sidecar_serves_reading(path, implementation):
    assert parquetext.verify(path, deep=True).ok
    parquetext.sidecar.build(path)
    for engine in ENGINES:
        assert parquetext.read_table(path, engine=engine)["x"].cast(pa.int64()).to_pylist() == VALUES


@pytest.mark.parametrize(("unit", "utc", "name"), [("us", True, "timestamp"), ("ms", False, "timestamp_ntz")])
def test_the_type_in_spark_is_that_of_timestamps_of_64_bits(path, unit, utc, name):
    types = pytest.importorskip("parquetext.spark.source.spark_schema")
    path.write_bytes(file_of([1], unit=unit, utc=utc))
    with parquetext.open(path) as file:
        [field] = types.spark_schema(file._form, None).fields
    assert field.dataType.typeName() == name
