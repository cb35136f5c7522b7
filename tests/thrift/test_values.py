"""parquet.thrift's structs as Python values: reading and writing them gives the same bytes."""

from __future__ import annotations

import io
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.samples import examples

from parquetext import extension, thrift, wire
from parquetext.errors import Malformed, ParquetextError
from parquetext.footer.locate import locate

pytestmark = pytest.mark.usefixtures("implementation")
LIMITS = settings(
    max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NUMBERS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}


def values(type: str, depth: int):
    """Values of a type of parquet.thrift."""
    if type in NUMBERS:
        return st.integers(-1 << NUMBERS[type] - 1, (1 << NUMBERS[type] - 1) - 1)
    if type.startswith("list<"):
        return st.lists(values(type[5:-1], depth - 1), max_size=17 if type[5:-1] in NUMBERS else 2)
    simple = {
        "bool": st.booleans(),
        "double": st.floats(allow_nan=False),
        "binary": st.binary(max_size=9),
        "string": st.text(max_size=9),
    }
    return simple[type] if type in simple else structs(type, depth)


def structs(name: str, depth: int = 4):
    if depth <= 0:
        return st.just({})
    fields = {field: values(type, depth - 1) for field, type in thrift.STRUCTS[name].values()}
    return st.fixed_dictionaries({}, optional=fields) if fields else st.just({})


@LIMITS
@given(
    st.sampled_from(
        [
            "FileMetaData",
            "PageHeader",
            "ColumnIndex",
            "OffsetIndex",
            "BloomFilterHeader",
            "GeospatialStatistics",
            "FileCryptoMetaData",
            "ColumnOrder",
        ]
    ).flatmap(lambda name: st.tuples(st.just(name), structs(name)))
)
def test_written_values_are_read(pair):
    name, fields = pair
    data = thrift.write(name, fields)
    assert thrift.read(name, data) == fields
    assert thrift.read_at(name, b"\xff" + data + b"rest", 1) == (fields, 1 + len(data))


def test_the_tables_agree_with_the_wire_table():
    for struct, fields in (
        ("FILE_META_DATA", "FileMetaData"),
        ("SCHEMA_ELEMENT", "SchemaElement"),
        ("ROW_GROUP", "RowGroup"),
        ("COLUMN_CHUNK", "ColumnChunk"),
        ("COLUMN_META_DATA", "ColumnMetaData"),
        ("STATISTICS", "Statistics"),
        ("SORTING_COLUMN", "SortingColumn"),
        ("KEY_VALUE", "KeyValue"),
    ):
        for id, (name, _) in thrift.STRUCTS[fields].items():
            constant = "LOGICAL_TYPE" if name == "logicalType" else name.upper()
            assert getattr(wire, f"{struct}_{constant}") == id


def test_every_type_that_a_table_names_has_a_table():
    simple = {"bool", "double", "binary", "string", *NUMBERS}
    for fields in thrift.STRUCTS.values():
        for _, type in fields.values():
            assert type.removeprefix("list<").removesuffix(">") in simple | thrift.STRUCTS.keys()


def test_a_footer_reads_as_pyarrow_reads_it():
    times = pa.array([1, 2], pa.timestamp("us", "UTC"))
    table = pa.table({"n": pa.array([1, 2], pa.int64()), "s": ["a", "b"], "t": times})
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=1)
    data = sink.getvalue()
    tail = locate(data, len(data))
    footer = thrift.read("FileMetaData", data[tail.footer_offset :])
    theirs = pq.read_metadata(pa.BufferReader(data))
    assert (footer["num_rows"], len(footer["row_groups"]), footer["created_by"]) == (2, 2, theirs.created_by)
    assert [element["name"] for element in footer["schema"]] == ["schema", "n", "s", "t"]
    assert footer["schema"][3]["logicalType"] == {"TIMESTAMP": {"isAdjustedToUTC": True, "unit": {"MICROS": {}}}}
    chunk = footer["row_groups"][1]["columns"][0]["meta_data"]
    assert chunk["data_page_offset"] == theirs.row_group(1).column(0).data_page_offset
    assert chunk["path_in_schema"] == ["n"]


def test_unknown_fields_are_kept_and_written_back():
    data = b"\x15\x02" + b"\x0c\xd0\x0f" + b"\x15\x04\x00" + b"\x00"
    fields = thrift.read("KeyValue", data)
    unknown = thrift.Unknown(wire.TYPE_STRUCT, b"\x15\x04\x00")
    assert fields == {1: thrift.Unknown(wire.TYPE_I32, b"\x02"), 1000: unknown}
    assert thrift.write("KeyValue", fields) == data


@pytest.mark.parametrize("marker", ["spec", "thrift"])
def test_an_extension_is_kept(marker):
    data = extension.append(thrift.write("KeyValue", {"key": "k", "value": "v"}), b"payload", marker=marker)
    assert thrift.write("KeyValue", thrift.read("KeyValue", data)) == data


def test_a_list_of_other_items_is_kept_as_it_is():
    data = bytes([0x19, 0x25, 2, 4, 0])
    assert thrift.read("RowGroup", data) == {1: thrift.Unknown(wire.TYPE_LIST, b"\x25\x02\x04")}


def test_text_that_is_no_utf8_keeps_its_bytes():
    data = b"\x18\x02\xff\xfe\x00"
    assert thrift.write("KeyValue", thrift.read("KeyValue", data)) == data


def test_a_double_and_a_not_a_number():
    data = thrift.write("BoundingBox", {"xmin": math.nan, "xmax": 1.5})
    found = thrift.read("BoundingBox", data)
    assert math.isnan(found["xmin"]) and found["xmax"] == 1.5


def test_numbers_that_do_not_fit_and_unknown_names_are_errors():
    with pytest.raises(ParquetextError):
        thrift.write("FileMetaData", {"version": 1 << 31})
    with pytest.raises(KeyError):
        thrift.write("FileMetaData", {"versions": 1})
    with pytest.raises(KeyError):
        thrift.read("FileMeta", b"\x00")
    with pytest.raises(Malformed):
        thrift.read("FileMetaData", b"\x15")


def test_corpus_footers_are_written_as_they_were_read(corpus, expected):
    same = total = 0
    for entry in expected[::6]:
        if not entry["footer"]["parses"]:
            continue
        data = (corpus / entry["file"]).read_bytes()
        tail = locate(data, len(data))
        if tail.footer_length > 20_000:
            continue
        fields, end = thrift.read_at("FileMetaData", data, tail.footer_offset)
        written = thrift.write("FileMetaData", fields)
        assert thrift.read("FileMetaData", written) == fields, entry["file"]
        same += written == data[tail.footer_offset : end]
        total += 1
    assert total > 50 and same > 0.9 * total
