"""A new logical type in one file works in schema text, Arrow, bounds, SQL, Spark, DuckDB, reading and filtering."""

from __future__ import annotations

import json
import struct
from itertools import chain
from typing import ClassVar

import pyarrow as pa
import pytest
from support.pages import Column, data_page, file_of_row_groups

import parquetext
from parquetext import catalog, logical_types, wire
from parquetext.footer.elements import parse_element
from parquetext.footer.leaf_types import leaf_type_of
from parquetext.inspection.content.schema_text import schema_as_dict, schema_text
from parquetext.inspection.content.sql import DUCKDB, SPARK
from parquetext.logical_types import Entry, SortOrder, SqlText
from parquetext.logical_types.annotation import UNIT, UNIT_WORDS, Parameter
from parquetext.thrift import read, write

FIELD_ID = 77
GROUPS = [[1.5, 2.5], [10.0, 20.0], [-3.0, 0.5]]


class LapTime(pa.ExtensionType):
    """The Arrow type of columns that are written as the toy type."""

    def __init__(self):
        super().__init__(pa.float64(), "tests.lap_time")

    def __arrow_ext_serialize__(self):
        return b""

    def __hash__(self):
        return hash(self.extension_name)

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        return cls()


class _LapTime(Entry):
    """The whole toy type."""

    name = "LAP_TIME"
    field_id = FIELD_ID
    widths: ClassVar = {wire.PHYSICAL_DOUBLE: 0}
    order = SortOrder.SIGNED
    parameters = (Parameter("unit", 1, "unit", "unit", UNIT, UNIT_WORDS),)
    arrow_type = pa.float64()
    bounds_reading = wire.READING_FLOAT
    sql: ClassVar = {LapTime(): SqlText(spark="DOUBLE", duckdb="INTERVAL")}
    spark_type = "double"
    questdb_type = "DOUBLE"


@pytest.fixture(autouse=True)
def lap_time(monkeypatch):
    entry = _LapTime()
    for table in ("_by_name", "_by_id", "_by_converted"):
        monkeypatch.setattr(logical_types, table, dict(getattr(logical_types, table)))
    logical_types.register([entry])
    yield entry
    logical_types.sql_text.cache_clear()


def column(values: list[float]) -> Column:
    body = struct.pack(f"<{len(values)}d", *values)
    unit = write("TimeUnit", {"MILLIS": {}})
    options = bytes([1 << 4 | wire.TYPE_STRUCT]) + unit + b"\0"
    # The long form of a field header: the type, then the id as a zigzag varint (77 -> 154).
    union = bytes([wire.TYPE_STRUCT, 154, 1]) + options + b"\0"
    statistics = {"min_value": struct.pack("<d", min(values)), "max_value": struct.pack("<d", max(values))}
    return Column(
        "lap",
        wire.PHYSICAL_DOUBLE,
        [data_page(body, len(values), wire.ENCODING_PLAIN)],
        element={"logicalType": union},
        metadata={"statistics": {"null_count": 0, **statistics}},
    )


@pytest.fixture
def path(tmp_path):
    data = file_of_row_groups([([column(values)], len(values)) for values in GROUPS])
    size = int.from_bytes(data[-8:-4], "little")
    footer = read("FileMetaData", data[-8 - size : -8])
    # Bounds under an annotation that the kernels do not know are valid only in an order that needs no annotation.
    orders = write("FileMetaData", {**footer, "column_orders": [{"IEEE_754_TOTAL_ORDER": {}}]})
    target = tmp_path / "laps.parquet"
    target.write_bytes(data[: -8 - size] + orders + len(orders).to_bytes(4, "little") + b"PAR1")
    return target


def test_schema_text(path):
    with parquetext.open(path) as file:
        assert "required double lap (LAP_TIME(MILLIS));" in schema_text(file, "parquet")
        described = schema_as_dict(file)["children"][0]["logical_type"]
    assert json.loads(json.dumps(described)) == {"name": "LAP_TIME", "unit": "ms"}


def test_arrow_type_and_bounds(path):
    with parquetext.open(path) as file:
        assert file.schema.field("lap").type == pa.float64()
        laps = file.column("lap")
        assert str(laps.logical_type.name) == "LAP_TIME"
        assert laps.min.to_pylist() == [1.5, 10.0, -3.0]
        assert laps.max.to_pylist() == [2.5, 20.0, 0.5]
        element = file._on_form(lambda form: form.node(0).thrift)
    assert leaf_type_of(element).arrow == pa.float64()
    assert parse_element(element).logical.unit == "ms"


def test_sql_texts(path):
    assert SPARK.type_of(LapTime()) == "DOUBLE"
    assert DUCKDB.type_of(pa.list_(LapTime())) == "INTERVAL[]"
    with parquetext.open(path) as file:
        assert '"lap" DOUBLE NOT NULL' in schema_text(file, "duckdb")
        assert "`lap` DOUBLE NOT NULL" in schema_text(file, "spark")
        element = parse_element(file._on_form(lambda form: form.node(0).thrift))
    assert logical_types.spark_type(element.logical, element.type, 8) == "double"


def test_spark_schema(path):
    types = pytest.importorskip("pyspark.sql.types")
    from parquetext.spark.source.spark_schema import spark_schema

    with parquetext.open(path) as file:
        found = file._on_form(lambda form: spark_schema(form, None))
    assert found["lap"].dataType == types.DoubleType()


@pytest.mark.parametrize("engine", [None, "auto", "parquetext"])
def test_reading_and_filtering(path, engine):
    assert parquetext.read_table(path, engine=engine)["lap"].to_pylist() == list(chain(*GROUPS))
    found = parquetext.read_table(path, engine=engine, filters=[("lap", ">", 2.0)])
    assert found["lap"].to_pylist() == [2.5, 10.0, 20.0]


def test_filters_skip_row_groups_by_its_bounds(path):
    rows = pa.Table.from_batches(catalog.batches_of([path]))
    assert rows["logical_type"].to_pylist() == ["LAP_TIME(ms)"] * 3
    assert rows["min_double"].to_pylist() == [1.5, 10.0, -3.0]
    (planned,) = parquetext.plan(rows, [("lap", ">", 2.5)])
    assert planned.row_groups == [1]


def test_conversion_to_other_footers_keeps_the_annotation(path):
    parquetext.upgrade(path, form="flat")
    with parquetext.open(path) as file:
        assert "(LAP_TIME(MILLIS))" in schema_text(file, "parquet")
