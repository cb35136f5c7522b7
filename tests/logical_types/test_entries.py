"""Every entry of the registry of logical types works in every dialect, and agrees with the kernels."""

from __future__ import annotations

import ast
import io
import itertools
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.pages import Column, data_page, parquet_file

import parquetext
from parquetext import logical_types, wire
from parquetext.errors import Unsupported
from parquetext.footer.elements import parse_element
from parquetext.footer.leaf_types import LeafType
from parquetext.inspection.content.sql import DUCKDB, SPARK
from parquetext.logical_types import LogicalType, SortOrder
from parquetext.pruning.questdb import Tag
from parquetext.thrift import write

PACKAGE = Path(parquetext.__file__).parent
INT32, INT64, INT96 = wire.PHYSICAL_INT32, wire.PHYSICAL_INT64, wire.PHYSICAL_INT96
BYTES, FIXED = wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY
WIDTHS = {**wire.WIDTH_OF_TYPE, BYTES: 0}
PARAMETERS = {
    "DECIMAL": [{"precision": precision, "scale": 2} for precision in (9, 38, 76)],
    "INTEGER": [{"bits": bits, "signed": signed} for bits in (8, 16, 32, 64) for signed in (True, False)],
    "TIME": [{"unit": unit, "utc": utc} for unit in ("ms", "us", "ns") for utc in (True, False)],
    "TIMESTAMP": [{"unit": unit, "utc": utc} for unit in ("ms", "us", "ns") for utc in (True, False)],
    "GEOMETRY": [{}, {"crs": "srid:5070"}, {"crs": '{"a": [1, "(2)"]}'}],
    "GEOGRAPHY": [{}, {"crs": "x,y(1)", "algorithm": "SPHERICAL"}, {"crs": "a", "algorithm": "UNKNOWN_7"}],
}
SPARK_TYPES = {
    *("boolean", "byte", "short", "integer", "long", "float", "double", "string", "binary", "date"),
    *("timestamp", "timestamp_ntz"),
}


def samples() -> list:
    """All entries with all values of their parameters, on all physical types that they fit."""
    found = []
    for entry in logical_types.entries():
        for values, physical in itertools.product(PARAMETERS.get(entry.name, [{}]), entry.widths):
            logical = None if entry.name is None else LogicalType(entry.name, **values)
            width = entry.widths[physical] or WIDTHS.get(physical, 5)
            if entry.fits(logical, physical, width):
                text = logical_types.catalog_text(logical) or "-"
                found.append(pytest.param(entry, logical, physical, width, id=f"{text}-{wire.NAMES_OF_TYPE[physical]}"))
    return found


def element_of(entry, logical, physical: int, width: int) -> dict:
    element = {"type": physical, "repetition_type": 0, "name": "x"}
    if physical == FIXED:
        element = {"type": physical, "type_length": width, "repetition_type": 0, "name": "x"}
    if entry.field_id is None and logical is None:
        return element
    if logical.name not in wire.NAMES_OF_LOGICAL_TYPE.values():
        (converted,) = entry.converted
        return element | {"converted_type": converted}
    return element | {"logicalType": {logical.name: entry.options(logical)}}


@pytest.mark.parametrize(("entry", "logical", "physical", "width"), samples())
class TestEntry:
    def test_thrift_annotation_is_parsed(self, entry, logical, physical, width):
        assert parse_element(write("SchemaElement", element_of(entry, logical, physical, width))).logical == logical
        assert logical_types.entry_of(logical, physical) is entry

    def test_sort_order_is_that_of_the_kernels(self, implementation, entry, logical, physical, width):
        page = data_page(bytes(max(width, 4)), 1, wire.ENCODING_PLAIN)
        element = element_of(entry, logical, physical, width)
        column = Column("x", physical, [page], type_length=width, element=element)
        scan = parquetext.footer.scan(parquet_file([column], 1))
        assert scan.elements("sort_order")[1] == logical_types.order_of(logical, physical, width)

    def test_bounds_have_the_arrow_type(self, entry, logical, physical, width):
        arrow = logical_types.arrow_type(logical, physical, width)
        value = bytes(width or 4) if physical != wire.PHYSICAL_BOOLEAN else b"\0"
        found = LeafType(physical, width, arrow).array([value, None])
        assert found.type == arrow and len(found) == 2

    def test_catalog_reads_bounds_of_ordered_types(self, entry, logical, physical, width):
        order = logical_types.order_of(logical, physical, width)
        reading = logical_types.reading_of(logical, physical, width)
        if order == SortOrder.UNDEFINED and physical == BYTES:
            assert reading == 0
        is_unsigned = reading & wire.READING_VALUE == wire.READING_UNSIGNED
        assert is_unsigned == (order == SortOrder.UNSIGNED and physical in (INT32, INT64))

    def test_texts_are_complete(self, entry, logical, physical, width):
        if logical is not None:
            assert logical_types.parquet_text(logical).partition("(")[0] == logical.name
            assert logical_types.parse_catalog_text(logical_types.catalog_text(logical)) == logical
            assert LogicalType(**logical.as_dict()) == logical
        spark = logical_types.spark_type(logical, physical, width)
        assert spark is None or spark in SPARK_TYPES or spark.startswith("decimal(")
        questdb = (logical_types.questdb_type(logical, physical, width) or "").partition("(")[0]
        assert questdb.removesuffix("_NS") in ("", *Tag.__members__)

    def test_sql_has_a_name_or_refuses(self, entry, logical, physical, width):
        arrow = logical_types.arrow_type(logical, physical, width)
        for dialect in SPARK, DUCKDB:
            try:
                assert dialect.type_of(arrow).isascii()
            except Unsupported as error:
                assert str(arrow) in str(error)

    def test_flatbuffers_table_keeps_the_parameters(self, entry, logical, physical, width):
        options = {} if logical is None else entry.options(logical)
        written = entry.to_table(options).items()
        table = {slot: value.encode() if isinstance(value, str) else value for slot, value in written}
        found = entry.from_table(lambda slot, default: table.get(slot, default))
        assert found == entry.with_defaults(options)


@pytest.mark.parametrize(
    ("entry", "arrow"),
    [pytest.param(entry, arrow, id=str(arrow)) for entry in logical_types.entries() for arrow in entry.sql],
)
def test_arrow_types_are_written_as_the_entry_that_lists_them(entry, arrow):
    file = io.BytesIO()
    pq.write_table(pa.table({"x": pa.nulls(1, arrow)}), file, store_schema=False)
    with parquetext.open(file.getvalue()) as opened:
        element = opened.column("x").element
    is_plain = entry.name is None or element.logical is None
    assert logical_types.entry_of(element.logical, element.type) is entry or is_plain
    width = element.type_length or 0
    found = logical_types.arrow_type(element.logical, element.type, width)
    assert found == (pa.binary(16) if arrow == pa.uuid() else arrow)


def test_every_annotation_of_parquet_has_an_entry():
    known = {entry.name for entry in logical_types.entries()}
    assert known >= {*wire.NAMES_OF_LOGICAL_TYPE.values()}
    converted = {number for entry in logical_types.entries() for number in (*entry.converted, *entry.old_converted)}
    assert converted == {*wire.NAMES_OF_CONVERTED_TYPE}


def test_an_annotation_that_does_not_fit_is_ignored():
    assert logical_types.arrow_type(LogicalType("DATE"), INT64, 8) == pa.int64()
    assert logical_types.order_of(LogicalType("UUID"), FIXED, 15) == SortOrder.UNDEFINED
    assert logical_types.spark_type(LogicalType("INTEGER", bits=7, signed=True), INT32, 4) is None


def test_an_annotation_does_not_fit_another_physical_type_of_a_length_below_0():
    """The length of a byte array means nothing, and a damaged footer has any."""
    assert logical_types.order_of(LogicalType("STRING"), INT32, -1) == SortOrder.UNDEFINED
    timestamp = LogicalType("TIMESTAMP", unit="us", utc=True)
    assert logical_types.reading_of(timestamp, BYTES, -1) == logical_types.reading_of(None, BYTES, -1)


# ---- the package asks the registry -------------------------------------------------------------------------------

OTHER_MEANINGS = {"UNKNOWN"}  # also the text for numbers without a name
NAMES = {*wire.NAMES_OF_LOGICAL_TYPE.values(), *wire.NAMES_OF_CONVERTED_TYPE.values()} - OTHER_MEANINGS
EXEMPT = {PACKAGE / "wire.py", *(PACKAGE / "logical_types").rglob("*.py")}
MODULES = sorted({*PACKAGE.rglob("*.py")} - EXEMPT)


def metavars(tree: ast.AST) -> set[ast.AST]:
    """The placeholders in help texts of commands, such as ``FILE``."""
    keywords = [node for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "metavar"]
    return {keyword.value for keyword in keywords}


def test_no_module_outside_the_registry_names_a_logical_type():
    named = {str(path.relative_to(PACKAGE)): names for path in MODULES if (names := named_types(path))}
    assert not named


def named_types(path: Path) -> dict[int, str]:
    """Return the names of logical types in a module by line."""
    tree = ast.parse(path.read_text())
    literals = {node for node in ast.walk(tree) if isinstance(node, ast.Constant)} - metavars(tree)
    found = {node.lineno: node.value for node in literals if isinstance(node.value, str) and node.value in NAMES}
    if path.parent.name != "_pure":  # the kernels' twin is below the registry
        attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
        found |= {node.lineno: node.attr for node in attributes if node.attr.startswith(("LOGICAL_", "CONVERTED_"))}
    return found
